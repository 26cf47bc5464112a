"""The lines above and below the panels: where we are, who is winning, how it goes, which keys."""

from __future__ import annotations

from macro_engine.run.snapshot import Snapshot
from macro_engine.visible import visible
from macro_tui import keys
from macro_tui.glyphs import Glyphs
from macro_tui.scene import Scene, series_index
from macro_tui.traffic import Traffic
from macro_tui.widgets.canvas import Row
from macro_tui.words import counted, lead_text, moment_text, seconds_text, short_lead_text


def header(name: str, snapshot: Snapshot, scene: Scene | None, glyphs: Glyphs) -> Row:
    """What runs, and whether what is shown is now."""
    row: Row = [(f"{visible(name, 40)} ", "strong")]
    if scene is None:
        return [*row, (f" {snapshot.words} ", "label")]
    if not scene.is_now:
        ago = counted(scene.steps - scene.moment, "step")
        text = f" LOOKING BACK at step {scene.moment:,}, {ago} ago; End returns "
        return [*row, (text, "cursor"), *_playing(snapshot, glyphs)]
    when = "" if snapshot.time is None else f" {moment_text(snapshot.time)} "
    return [*row, *_playing(snapshot, glyphs), (f" step {scene.steps:,} ", "label"), (when, "label")]


def _playing(snapshot: Snapshot, glyphs: Glyphs) -> Row:
    if snapshot.state == "running":
        return [(f" {glyphs.viewed} {snapshot.words} at {snapshot.speed} ", "good")]
    if snapshot.state == "finished":
        return [(" THE END: all of it was played ", "cursor")]
    if snapshot.state == "paused":
        return [(" PAUSED ", "cursor")]
    return [(f" {visible(snapshot.words, 200)} ", "bad")]


def verdict(scene: Scene) -> Row:
    """Who is winning, until now and of late."""
    ftl, ewa, baseline = (series_index(name) for name in ("ftl", "ewa", "marginal"))
    so_far, recent = scene.errors, scene.recent_errors
    lead = lead_text(so_far[ftl], so_far[baseline])
    of_late = short_lead_text(recent[ftl], recent[baseline])
    return [
        (f"FTL {so_far[ftl]:.1f}%", "ftl"),
        (f" {lead}", "good" if so_far[ftl] <= so_far[baseline] else "bad"),
        (f"; lately {of_late}", "good" if recent[ftl] <= recent[baseline] else "bad"),
        (f"; EWA {so_far[ewa]:.1f}%", "ewa"),
        (f"; baseline {so_far[baseline]:.1f}%", "marginal"),
    ]


def status(snapshot: Snapshot, traffic: Traffic) -> Row:
    """How it goes, in numbers."""
    parts = [f"{snapshot.rate:,.0f} rows/s"]
    if snapshot.done is not None:
        left = traffic.seconds_left
        until = "" if left is None else f", {seconds_text(left)} left"
        parts.append(f"{snapshot.done:.0%}{until}")
    trouble = [
        f"{count:,} {what}"
        for count, what in (
            (snapshot.rejected, "rejected"),
            (snapshot.late, "late"),
            (snapshot.unanswered, "unanswered"),
        )
    ]
    sent = f"{traffic.memory} MB, {traffic.frames:.0f} frames/s, {traffic.bytes / 1000:.1f} kB/s"
    row: Row = [("  ".join(parts), "label"), ("  ", "label")]
    has_trouble = bool(snapshot.rejected or snapshot.late or snapshot.unanswered)
    shown = trouble if snapshot.unanswered else trouble[:2]
    row += [(", ".join(shown), "bad" if has_trouble else "muted"), ("  ", "label")]
    row += [(sent, "muted"), ("  ", "label"), (visible(snapshot.words, 60), "label")]
    if snapshot.recording:
        row.append((f"  recorded in {visible(snapshot.recording)}", "muted"))
    return row


def footer(width: int) -> Row:
    row: Row = []
    for key, word in keys.footer(width):
        row += [(key, "strong"), (f" {word}  ", "muted")]
    return row
