"""The lines above and below the panels: header, alarm, status and footer."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from time import time

from macro_engine.core.escape import visible
from macro_engine.core.format import clock_text, count_text, elapsed_text, series_title, time_text
from macro_engine.run.view import Change, Snapshot
from macro_tui.view import keys
from macro_tui.view.cells import in_room, width_of
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.meter import Traffic
from macro_tui.view.rows import Row, fitting, row_width
from macro_tui.view.scene import Scene

_MANY_BEHIND = 1_000  # messages that wait
_AGAIN = {"freeze": "follow", "pause": "play"}  # what a key does that did the first


def header(
    name: str,
    snapshot: Snapshot,
    scene: Scene | None,
    going: str,
    glyphs: Glyphs,
    width: int,
    headline: str = "",
    readonly: bool = False,
) -> Row:
    """The name of the run and its state.

    `going` is the target of a run at full speed, `headline` what must be said of the stream.
    """
    row: Row = [(f"{visible(name, 40)} ", "strong")]
    if readonly:
        row.append((" read-only ", "bad"))
    if snapshot.trouble:
        row = [(f" NOT WRITTEN: {visible(snapshot.trouble, 200)} ", "alarm"), (" ", "label"), *row]
    if scene is None:
        return [*row, (f" {_in_a_word(snapshot)} ", "label")]
    playing = _playing(snapshot, going, glyphs)
    if not_now := _not_now(snapshot, scene):
        return fitting([(f" {not_now} ", "cursor"), *playing, (" ", "label"), *row], width)
    if snapshot.warming:
        playing = [*playing, (f" {visible(snapshot.warming, 40)} ", "strong")]
    when = "" if snapshot.time is None else f" {time_text(snapshot.time)} "
    rest: Row = [(f" {count_text(scene.steps, 'step')} ", "label"), (when, "label")]
    if headline:
        return _announcing(headline, [*row, *playing], row, rest, width)
    return fitting([*row, *playing, *rest], width, least=2 + readonly)


def _announcing(headline: str, row: Row, name: Row, rest: Row, width: int) -> Row:
    """A header with what must be said of the stream.

    It is said whole if it can be, if need be without the state, which the status line has too.
    """
    while headline:
        for first in (row, name):
            for text in (f" {headline} (d: more) ", f" {headline} "):
                shown = [*first, (text, "strong")]
                if row_width(shown) - 1 <= width:
                    return fitting([*shown, *rest], width, least=len(shown))
        headline = headline[: max(headline.rfind("; "), headline.rfind(", "), 0)]
    return fitting([*row, *rest], width, least=len(row))


def _not_now(snapshot: Snapshot, scene: Scene) -> str:
    """Why the view does not show the newest step; empty if it does."""
    frozen, here = scene.view.frozen, f"step {scene.moment - 1:,}"
    if frozen is not None and not scene.is_now:
        return f"VIEW FROZEN at step {frozen.steps - 1:,}, looking at {here}; space follows"
    if frozen is not None:
        since = count_text(frozen.rows_since(snapshot), "row")
        return f"VIEW FROZEN at {here}, {since} since; space follows"
    if not scene.is_now:
        ago = count_text(scene.steps - scene.moment, "step")
        return f"LOOKING BACK at {here}, {ago} ago; End returns"
    return ""


_LATE = 600.0  # seconds; a newest row that old is worth a look
_OLD = 30 * 86_400.0  # a feed that far behind is a recording
_FEED_ROLES = {"running": "good", "quiet": "strong", "learning": "label"}


def _playing(snapshot: Snapshot, going: str, glyphs: Glyphs) -> Row:
    if going:
        return [(f" {glyphs.viewed} going to {going} at full speed ", "good")]
    if snapshot.came is not None and snapshot.state in ("running", "quiet", "learning"):
        mark = f"{glyphs.viewed} " if snapshot.state == "running" else ""
        return [(f" {mark}{visible(snapshot.words, 200)} ", _FEED_ROLES[snapshot.state])]
    if snapshot.state == "running":
        return [(f" {glyphs.viewed} {snapshot.words} at {snapshot.speed} ", "good")]
    if snapshot.state == "finished":
        return [(" THE END ", "cursor")]
    if snapshot.state == "paused":
        return [(" PAUSED ", "cursor")]
    if snapshot.state == "failed":
        return [(" FAILED ", "alarm")]
    return [(f" {visible(snapshot.words, 200)} ", "bad")]


def _in_a_word(snapshot: Snapshot) -> str:
    """The state in one word."""
    is_followed = snapshot.state == "running" and snapshot.came is not None
    return "following" if is_followed else snapshot.state


def before(snapshot: Snapshot, width: int) -> list[Row]:
    """Shown in place of the panels until the first step is closed."""
    words, room = visible(snapshot.words, 400), max(width - 4, 1)
    rows: list[Row] = [[(line, "strong")] for line in wrap(f"{words[:1].upper()}{words[1:]}", room)]
    if snapshot.came is None:
        return rows
    if snapshot.open_rows:
        rows += [[], open_step(snapshot, room)]
    fill = "The panels fill when the first step is closed."
    if snapshot.pending_rows:
        rows += [[(f"{count_text(snapshot.pending_rows, 'row')} without a label yet", "label")]]
        fill = "The panels fill when the first step has all its labels, or after --label-timeout."
    return [*rows, [], *([(line, "muted")] for line in wrap(fill, room, break_on_hyphens=False))]


def open_step(snapshot: Snapshot, width: int) -> Row:
    """The open step of a live feed: rows so far, errors, and the newest prediction."""
    if not snapshot.open_rows:
        return [("no row of the next step yet", "muted")]
    row: Row = [(f"open step: {count_text(snapshot.open_rows, 'row')} so far", "label")]
    errors, said = snapshot.open_errors, snapshot.said
    if not errors or not said:  # rows come too fast to predict each on its own
        return row
    name, baseline = snapshot.strategy, errors["marginal"]
    own = errors[name]
    row.append((f", {series_title(name)} {own:.1%} wrong", "good" if own <= baseline else "bad"))
    answer, label = visible(said[name], 20), visible(said["label"], 20)
    outcome = "correct" if answer == label else f"predicted '{answer}'"
    row.append((f"; newest: '{label}', {outcome}", "label"))
    row.append((f"; baseline {baseline:.1%}", "muted"))
    return fitting(row, width, least=2)


def alarms(calling: Sequence[Change], holding: Sequence[Change], width: int) -> Row:
    """The alarm that calls, and how many that were answered still hold; stands beside the verdict.

    It takes what it needs where nothing else is to be said, which is given as the width.
    """
    row: Row = []
    if calling:
        first = calling[0]
        more = f" +{len(calling) - 1}" if len(calling) > 1 else ""
        texts = [
            f" ALARM{more} (a) {first.rule.text}: {first.words} ",
            f" ALARM{more} (a) {first.rule.text} ",
        ]
        row.append((next((text for text in texts if width_of(text) <= width), texts[-1]), "alarm"))
    if holding:
        row.append((f" {count_text(len(holding), 'alarm')} still on ", "bad"))
    return [*row, (" ", "label")] if row else row


def failure(why: str, width: int) -> Row:
    """Returns the line that says why the run failed."""
    if width_of(why) <= width:
        return [(why, "bad")]
    more = "  d: all of it"
    return [(in_room(why, max(width - len(more), 1)), "bad"), (more, "strong")]


def status(snapshot: Snapshot, traffic: Traffic, width: int) -> Row:
    """Rate, progress, rejected and late rows, memory, and traffic to the terminal."""
    is_live = snapshot.came is not None and not snapshot.has_ended
    is_short = is_live or snapshot.state == "failed"  # of that the lines above say more
    words = _in_a_word(snapshot) if is_short else visible(snapshot.words, 60)
    row: Row = [(words, "label")]
    if not snapshot.has_ended:
        row.append((f" {snapshot.rate:,.0f} rows/s", "label"))
        row += _health(snapshot)
    if snapshot.done is not None:
        left = traffic.seconds_left
        until = "" if left is None or snapshot.state != "running" else f", {clock_text(left)} left"
        row.append((f"  {snapshot.done:.0%}{until}", "label"))
    for count, what in ((snapshot.rejected, "rejected"), (snapshot.late, "late")):
        key = " (8)" if count and what == "rejected" else ""
        row.append((f"  {count:,} {what}{key}", "bad" if count else "muted"))
    if snapshot.unanswered:
        row.append((f"  {snapshot.unanswered:,} unanswered", "bad"))
    least = len(row)
    if snapshot.recording:
        row.append((f"  {visible(snapshot.recording)}", "muted"))
    row.append((f"  {traffic.memory} MB", "muted"))
    row.append((f"  {traffic.frames:.0f} fps {traffic.bytes / 1000:.1f} kB/s", "muted"))
    return fitting(row, width, least)


def _health(snapshot: Snapshot) -> Row:
    """Of a live feed: how old its newest row is, by its own time, and how many rows wait."""
    if snapshot.came is None:
        return []
    row: Row = []
    if snapshot.time is not None:
        lag = max(time() - snapshot.time / 1e6, 0.0)
        age = f"{elapsed_text(lag)} old" if lag < _OLD else "over 30 d old"
        row.append((f"  newest row {age}", "label" if lag < _LATE or lag >= _OLD else "bad"))
    if snapshot.behind is not None:
        role = "bad" if snapshot.behind >= _MANY_BEHIND else "muted"
        row.append((f"  {snapshot.behind:,} behind", role))
    return row


def footer(
    width: int,
    is_small: bool,
    notice: str,
    there: Sequence[keys.Key],
    has_ended: bool,
    is_held: bool = False,
) -> Row:
    """A notice, or a hint that the screen is too small, or keys.

    `is_held` is whether the run is paused, or the view of it frozen.
    """
    if notice:
        return [(f" {notice} ", "cursor")]
    if is_small:
        return [("80x24 shows more; ", "bad"), ("? help  q leave", "muted")]
    row: Row = []
    for key, word in keys.footer(width, there, has_ended):
        word = _AGAIN.get(word, word) if is_held else word
        row += [(key, "strong"), (f" {word}  ", "muted")]
    return row
