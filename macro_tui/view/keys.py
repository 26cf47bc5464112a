"""The one table of keys: bindings, footer, help, palette and docs/monitor.md come from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Key:
    """One action and how it is reached.

    Attributes
    ----------
    keys
        As Textual names them.
    shown
        As they are written for people.
    short
        One word for the footer; empty where it has none.
    """

    keys: tuple[str, ...]
    shown: str
    action: str
    short: str
    help: str
    group: str


PLAYING, LOOKING, PANELS, KEEPING, PROGRAM = (
    "Playing",
    "Looking around",
    "Panels",
    "Marking and keeping",
    "The program",
)

KEYS = (
    Key(
        ("space",),
        "space",
        "pause",
        "pause",
        "pause, or go on; a live feed: freeze the view",
        PLAYING,
    ),
    Key(("full_stop",), ".", "one_step", "step", "run one step, then pause", PLAYING),
    Key(("left_square_bracket",), "[", "slower", "", "play slower", PLAYING),
    Key(("right_square_bracket",), "]", "faster", "", "play faster, up to max", PLAYING),
    Key(
        ("g",),
        "g",
        "go_to",
        "go to",
        "go to a step, a row, a time, a share; back is only a view",
        PLAYING,
    ),
    Key(("left",), "left", "look(-1)", "", "look back by a column; the engine goes on", LOOKING),
    Key(("right",), "right", "look(1)", "", "look ahead by a column", LOOKING),
    Key(("shift+left",), "shift+left", "look_far(-1)", "", "look back by half a page", LOOKING),
    Key(("shift+right",), "shift+right", "look_far(1)", "", "look ahead by half a page", LOOKING),
    Key(("home",), "home", "look_at_start", "", "look at the first step", LOOKING),
    Key(("end",), "end", "follow", "now", "follow the newest step again", LOOKING),
    Key(("i",), "i", "crosshair", "", "show or hide a crosshair at the moment in view", LOOKING),
    Key(("plus", "equals_sign"), "+", "zoom(1)", "", "zoom in at the right edge", LOOKING),
    Key(("minus",), "-", "zoom(-1)", "", "zoom out, at last to the whole run", LOOKING),
    Key(("t",), "t", "next_threshold", "threshold", "the next threshold in view", LOOKING),
    Key(
        ("m",),
        "m",
        "next_mode",
        "mode",
        "the lead, errors of late, errors since the start",
        LOOKING,
    ),
    Key(("w",), "w", "next_window", "", "a longer moving window: 64, 512, 4,096 steps", LOOKING),
    Key(("c",), "c", "next_curves", "", "more curves: the threshold in view, no-change", LOOKING),
    Key(("M",), "M", "next_metric", "", "chart and verdict by the next metric", LOOKING),
    Key(("y",), "y", "metrics", "", "log loss, precision, recall and more, as numbers", LOOKING),
    Key(("n",), "n", "next_event(1)", "event", "look at the next event", LOOKING),
    Key(("N",), "N", "next_event(-1)", "", "look at the event before", LOOKING),
    *(
        Key((str(number),), str(number), f"focus_panel({number})", "", f"panel {name}", PANELS)
        for number, name in (
            (1, "lead and errors"),
            (2, "decision"),
            (3, "timeline"),
            (4, "weights"),
            (5, "events"),
            (6, "subroutines"),
            (7, "pending: rows without a label"),
            (8, "rejected rows"),
        )
    ),
    Key(("tab",), "tab", "other_panel(1)", "", "the next panel", PANELS),
    Key(("shift+tab",), "shift+tab", "other_panel(-1)", "", "the panel before", PANELS),
    Key(("e",), "e", "expand", "expand", "the panel in focus on the whole screen, or back", PANELS),
    Key(("up",), "up", "pick(-1)", "", "the line above, in lists", PANELS),
    Key(("down",), "down", "pick(1)", "", "the line below", PANELS),
    Key(("pageup",), "pgup", "pick(-10)", "", "ten lines up", PANELS),
    Key(("pagedown",), "pgdn", "pick(10)", "", "ten lines down", PANELS),
    Key(
        ("enter",),
        "enter",
        "open",
        "",
        "the whole event, and go there; open the subroutine or row",
        PANELS,
    ),
    Key(
        ("o",),
        "o",
        "next_order",
        "",
        "order subroutines: points, use, ...; events: first or latest",
        PANELS,
    ),
    Key(("v",), "v", "other_weights", "", "weights: thresholds, or what strategies show", PANELS),
    Key(("slash",), "/", "filter", "filter", "show only events with a text or of a kind", PANELS),
    Key(("escape",), "esc", "back", "", "close what is open, follow the newest step", PANELS),
    Key(("b",), "b", "bookmark", "mark", "bookmark the moment in view, with a note", KEEPING),
    Key(("a",), "a", "acknowledge", "", "acknowledge alarms", KEEPING),
    Key(("A",), "A", "change_alarms", "", "add an alarm; name it again to mute it", KEEPING),
    Key(("s",), "s", "save_svg", "svg", "save the screen as SVG in the working folder", KEEPING),
    Key(("x",), "x", "save_csv", "csv", "save what is in view as CSV there", KEEPING),
    Key(("d",), "d", "stream", "data", "what is read: label, features, settings", PROGRAM),
    Key(("question_mark",), "?", "help", "help", "this list", PROGRAM),
    Key(("ctrl+p",), "ctrl+p", "app.command_palette", "", "every action by name", PROGRAM),
    Key(
        ("T",), "T", "next_theme", "", "the next theme: 16 colours or full, dark or light", PROGRAM
    ),
    Key(("q",), "q", "leave", "leave", "leave; the summary stays in the scrollback", PROGRAM),
    Key(
        ("ctrl+z",), "ctrl+z", "app.suspend_process", "", "suspend; fg in the shell: back", PROGRAM
    ),
    Key(("ctrl+c",), "ctrl+c", "app.interrupt", "", "stop the run and leave at once", PROGRAM),
)
GROUPS = (PLAYING, LOOKING, PANELS, KEEPING, PROGRAM)
_WRITING = ("bookmark", "save_svg", "save_csv")  # not there where nothing may be written
_NOTING = ("bookmark",)  # not there where the run is another process's
_PACING = ("one_step", "slower", "faster")  # missing where the run has no controls
_FOOTER = ("help", "pause", "look", "leave", "expand", "go_to", "next_event", "next_threshold")


def there(readonly: bool = False, is_played: bool = True, can_note: bool = True) -> list[Key]:
    """The keys that do something; `is_played` is whether keys say how fast it goes."""
    missing = (_WRITING if readonly else ()) + (() if can_note else _NOTING)
    missing += () if is_played else _PACING
    return [
        key if is_played or key.action != "pause" else _FREEZING
        for key in KEYS
        if key.action not in missing
    ]


_FREEZING = replace(
    next(key for key in KEYS if key.action == "pause"),
    short="freeze",
    help="freeze the view, not the source; again: follow",
)


def footer(
    width: int, keys: Sequence[Key] = KEYS, has_ended: bool = False
) -> list[tuple[str, str]]:
    """Keys and their words, as many as there is room for; the most wanted ones first.

    When the run has ended, there is nothing more to play or to hold.
    """
    useless = ("pause", *_PACING) if has_ended else ()
    ranked = sorted(
        (key for key in keys if key.short and key.action not in useless),
        key=lambda key: (
            _FOOTER.index(name) if (name := key.action.split("(")[0]) in _FOOTER else 99
        ),
    )
    wanted = [(key.shown, key.short) for key in ranked]
    wanted.insert(1 if has_ended else 2, ("left/right", "look back"))
    shown: list[tuple[str, str]] = []
    for key, word in wanted:
        width -= len(key) + len(word) + 3
        if width < -2:
            break
        shown.append((key, word))
    return shown


def markdown() -> str:
    """The table for docs/monitor.md."""
    lines = ["| key | what it does |", "|---|---|"]
    for group in GROUPS:
        lines.append(f"| **{group}** | |")
        lines += [f"| `{key.shown}` | {key.help} |" for key in KEYS if key.group == group]
    return "\n".join(lines)
