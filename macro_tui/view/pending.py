"""The contents of the pending panel: rows that wait for labels, the rare class first."""

from __future__ import annotations

from macro_engine.core.escape import visible
from macro_engine.core.format import count_text, elapsed_text, time_text
from macro_engine.run.view import Snapshot
from macro_tui.view.cells import in_room, width_of
from macro_tui.view.glyphs import Glyphs
from macro_tui.view.listing import visible_range
from macro_tui.view.rows import Row, fitting

_LONGEST = 24  # cells of a key
_CLASSES = 4
_WIDE = 50  # cells from which on the title has room


def about(snapshot: Snapshot) -> str:
    """How many rows wait, and since when."""
    if not snapshot.pending_rows:
        return "no row waits for its label"
    waits = count_text(snapshot.pending_rows, "row")
    age = _age(snapshot)
    return f"{waits}, oldest {age}" if age else waits


def _age(snapshot: Snapshot) -> str:
    if snapshot.pending_oldest is None or snapshot.time is None:
        return ""
    seconds = (snapshot.time - snapshot.pending_oldest) / 1e6
    return elapsed_text(seconds) if seconds >= 0 else ""


def pending_rows(
    snapshot: Snapshot, picked: str, width: int, height: int, glyphs: Glyphs
) -> list[Row]:
    """What is expected of the rows, and those likeliest to be of the rare class."""
    rows = _first_rows(snapshot, width)
    likely = snapshot.pending_likely
    room = height - len(rows) - 1
    if not likely or room < 1:
        return rows[:height]
    place = picked_place(snapshot, picked)
    named = [_name(row) for row in likely]
    key = min(max(map(width_of, named)), max(width - 26, 8), _LONGEST)
    has_time = width >= key + 27 and bool(likely[0]["time"])
    title = f"p({visible(snapshot.pending_class, 12)})"
    heading = f"  {'key' if likely[0]['key'] else 'row':<{key}} {title:>7}"
    rows.append([(heading + (f"  {'time':<16}" if has_time else ""), "muted")])
    for i in visible_range(len(likely), room, place):
        one, name = likely[i], in_room(named[i], key)
        is_rare = one["prediction"] == snapshot.pending_class
        row: Row = [
            (f"{glyphs.viewed if i == place else ' '} ", "threshold"),
            (f"{name}{' ' * (key - width_of(name))} ", "strong"),
            (f"{_percent(one['p']):>7}", "bad" if is_rare else "label"),
        ]
        if has_time:
            row.append((f"  {visible(one['time'], 19)}", "muted"))
        rows.append(row)
    return rows


def picked_place(snapshot: Snapshot, picked: str, by: int = 0) -> int:
    """The place of the picked row, or so many further on; a row that waits no more is the first."""
    likely = snapshot.pending_likely
    place = next((i for i, row in enumerate(likely) if row["row"] == picked), 0)
    return min(max(place + by, 0), max(len(likely) - 1, 0))


def row_at(snapshot: Snapshot, picked: str, y: int, width: int, height: int) -> int | None:
    """Returns the index of the row in a line; None if there is none."""
    above, likely = len(_first_rows(snapshot, width)) + 1, snapshot.pending_likely
    shown = visible_range(len(likely), height - above, picked_place(snapshot, picked))
    return shown[y - above] if above <= y < above + len(shown) else None


def _first_rows(snapshot: Snapshot, width: int) -> list[Row]:
    """What stands above the list."""
    waits: Row = [(about(snapshot), "strong")] if width < _WIDE else []  # else the title says it
    first = (waits, _expected(snapshot), price(snapshot))
    return [fitting(row, width) for row in first if row]


def _name(row: dict[str, str]) -> str:
    return in_room(row["key"] or row["row"], _LONGEST)


def _percent(p: str) -> str:
    try:
        return f"{float(p):.1%}"
    except ValueError:
        return visible(p, 6)


def _expected(snapshot: Snapshot) -> Row:
    """How many rows of each class are expected, the rare one first."""
    expected, rare = snapshot.pending_expected, snapshot.pending_class
    if not expected:
        return []
    order = sorted(expected, key=lambda name: (name != rare, -expected[name]))[:_CLASSES]
    row: Row = [("expected", "muted")]
    for i, name in enumerate(order):
        text = f"{',' if i else ''} {expected[name]:,.0f} '{visible(name, 12)}'"
        row.append((text, "strong" if name == rare else "label"))
    return row


def price(snapshot: Snapshot) -> Row:
    """What waiting costs the strategy, where the recording has all labels."""
    name, errors, at_once = snapshot.strategy, snapshot.errors, snapshot.errors_at_once
    if name not in errors or name not in at_once:
        return []
    points = 100 * (errors[name] - at_once[name])
    return [
        (f"waiting costs {name} ", "muted"),
        (f"{points:+z.2f} points", "bad" if points > 0 else "good"),
        (f": {at_once[name]:.1%} with labels at once", "muted"),
    ]


def details(row: dict[str, str], snapshot: Snapshot) -> list[Row]:
    """One row and its decision, in words."""
    seen = {name: visible(text, 200) for name, text in row.items()}
    rare, strategy = visible(snapshot.pending_class, 40), snapshot.strategy
    when = f", {seen['time']}" if seen["time"] else ""
    rows: list[Row] = []
    if seen["key"]:
        rows.append([("key ", "muted"), (seen["key"], "strong")])
    rows += [
        [("row ", "muted"), (seen["row"], "strong"), (f" of step {seen['step']}{when}", "label")],
        [],
        [
            (f"{strategy} predicts ", "muted"),
            (f"'{seen['prediction']}'", "strong"),
            (f"; probability of '{rare}' {_percent(row['p'])}", "label"),
        ],
        [(f"why: subroutine #{seen['active']} of member {seen['member']}", "label")],
        [(f"     {_why(seen)}", "label")],
        [],
        [("Its label has not come. When it does, the row is learned with its step.", "muted")],
    ]
    if snapshot.pending_oldest is not None:
        rows.append([(f"The oldest row that waits: {time_text(snapshot.pending_oldest)}", "muted")])
    return rows


def _why(row: dict[str, str]) -> str:
    """By what the subroutine was active when the step of the row opened."""
    distance, close = row["distance"], row["close"]
    if not distance:
        return "new at this step: none was inside its threshold"
    if close == "0":
        return f"the nearest, at distance {distance}, outside its threshold; no more are born"
    which = "the only one" if close == "1" else f"the nearest of {close}"
    return f"{which} inside its threshold, at distance {distance}"
