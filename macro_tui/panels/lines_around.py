"""The lines above and below the panels: where we are, who is winning, how it goes, which keys."""

from __future__ import annotations

from collections.abc import Sequence

from macro_engine.run.session import UNNAMED
from macro_engine.run.snapshot import Snapshot
from macro_engine.visible import visible
from macro_tui import keys
from macro_tui.alarms import Change
from macro_tui.glyphs import Glyphs
from macro_tui.scene import Scene, series_index
from macro_tui.traffic import Traffic
from macro_tui.widgets.canvas import Row
from macro_tui.words import counted, lead_text, moment_text, short_lead_text, wait_text


def header(name: str, snapshot: Snapshot, scene: Scene | None, going: str, glyphs: Glyphs) -> Row:
    """What runs, and whether what is shown is now; `going` is where to at full speed."""
    row: Row = [(f"{visible(name, 40)} ", "strong")]
    if scene is None:
        return [*row, (f" {visible(snapshot.words, 200)} ", "label")]
    if not scene.is_now:
        ago = counted(scene.steps - scene.moment, "step")
        text = f" LOOKING BACK at step {scene.moment:,}, {ago} ago; End returns "
        return [(text, "cursor"), *_playing(snapshot, going, glyphs), (" ", "label"), *row]
    when = "" if snapshot.time is None else f" {moment_text(snapshot.time)} "
    playing = _playing(snapshot, going, glyphs)
    return [*row, *playing, (f" step {scene.steps:,} ", "label"), (when, "label")]


def _playing(snapshot: Snapshot, going: str, glyphs: Glyphs) -> Row:
    if going:
        return [(f" {glyphs.viewed} going to {going} at full speed ", "good")]
    if snapshot.state == "running":
        return [(f" {glyphs.viewed} {snapshot.words} at {snapshot.speed} ", "good")]
    if snapshot.state == "finished":
        return [(" THE END ", "cursor")]
    if snapshot.state == "paused":
        return [(" PAUSED ", "cursor")]
    return [(f" {visible(snapshot.words, 200)} ", "bad")]


def verdict(scene: Scene, width: int) -> Row:
    """Who is winning, until now and of late; what there is no room for is left out."""
    ftl, ewa, baseline = (series_index(name) for name in ("ftl", "ewa", "marginal"))
    so_far, recent = scene.errors, scene.recent_errors
    lead = lead_text(so_far[ftl], so_far[baseline])
    of_late = short_lead_text(recent[ftl], recent[baseline])
    row: Row = [
        (f"FTL {so_far[ftl]:.1f}%", "ftl"),
        (f" {lead}", "good" if so_far[ftl] <= so_far[baseline] else "bad"),
        (f"; lately {of_late}", "good" if recent[ftl] <= recent[baseline] else "bad"),
        (f"; EWA {so_far[ewa]:.1f}%", "ewa"),
        (f"; baseline {so_far[baseline]:.1f}%", "marginal"),
    ]
    while len(row) > 2 and sum(len(text) for text, _ in row) > width:
        row.pop()
    return row


def alarm(calling: Sequence[Change]) -> Row:
    """What calls, in place of the verdict."""
    first = calling[0]
    when = f"step {first.step:,}" if first.time is None else moment_text(first.time)
    more = f" (and {len(calling) - 1} more)" if len(calling) > 1 else ""
    return [(f" ALARM {first.rule.text}: {first.words}, {when}{more}; a acknowledges ", "alarm")]


def status(snapshot: Snapshot, traffic: Traffic) -> Row:
    """How it goes: the source, what was wrong with rows, memory, and what the terminal gets."""
    row: Row = [(visible(snapshot.words, 60), "label"), (f" {snapshot.rate:,.0f} rows/s", "label")]
    if snapshot.done is not None:
        left = traffic.seconds_left
        until = "" if left is None or snapshot.state != "running" else f", {wait_text(left)} left"
        row.append((f"  {snapshot.done:.0%}{until}", "label"))
    for count, what in ((snapshot.rejected, "rejected"), (snapshot.late, "late")):
        row.append((f"  {count:,} {what}", "bad" if count else "muted"))
    if snapshot.unanswered:
        row.append((f"  {snapshot.unanswered:,} unanswered", "bad"))
    sent = f"{traffic.frames:.0f} fps {traffic.bytes / 1000:.1f} kB/s"
    row.append((f"  {traffic.memory} MB  {sent}", "muted"))
    if snapshot.recording not in ("", UNNAMED):
        row.append((f"  recorded in {visible(snapshot.recording)}", "muted"))
    return row


def footer(width: int, is_small: bool, notice: str, readonly: bool = False) -> Row:
    """What there is to say, or that the screen is too small, or keys."""
    if notice:
        return [(f" {notice} ", "cursor")]
    if is_small:
        return [("80x24 shows more; ", "bad"), ("? help  q leave", "muted")]
    row: Row = []
    for key, word in keys.footer(width, readonly):
        row += [(key, "strong"), (f" {word}  ", "muted")]
    return row
