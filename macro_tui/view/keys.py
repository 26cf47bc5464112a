"""The table of keys, from which bindings, footer, help, palette and docs/monitor.md are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Key:
    """One action and its keys.

    Attributes
    ----------
    keys
        As Textual names them.
    shown
        The keys as the help and the docs write them.
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
    "Bookmarks, alarms, files",
    "The program",
)

KEYS = (
    Key(
        ("space",),
        "space",
        "pause",
        "pause",
        "pause or resume; a live feed: freeze the view",
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
        "go to a step, row, time or share; back moves just the view",
        PLAYING,
    ),
    Key(("left",), "left", "look(-1)", "", "look back by one column; the run continues", LOOKING),
    Key(("right",), "right", "look(1)", "", "look ahead by one column", LOOKING),
    Key(("shift+left",), "shift+left", "look_far(-1)", "", "look back by half a page", LOOKING),
    Key(("shift+right",), "shift+right", "look_far(1)", "", "look ahead by half a page", LOOKING),
    Key(("home",), "home", "look_at_start", "", "look at the first step", LOOKING),
    Key(("end",), "end", "follow", "now", "follow the newest step again", LOOKING),
    Key(("i",), "i", "crosshair", "", "show or hide a crosshair at the moment in view", LOOKING),
    Key(("plus", "equals_sign"), "+", "zoom(1)", "", "zoom in at the right edge", LOOKING),
    Key(("minus",), "-", "zoom(-1)", "", "zoom out, up to the whole run", LOOKING),
    Key(("t",), "t", "next_threshold", "threshold", "show the next threshold", LOOKING),
    Key(
        ("m",),
        "m",
        "next_mode",
        "mode",
        "switch to lead, recent errors, errors since the start",
        LOOKING,
    ),
    Key(("w",), "w", "next_window", "", "change the moving window: 64, 512, 4,096 steps", LOOKING),
    Key(
        ("c",),
        "c",
        "next_curves",
        "",
        "show more curves: the threshold in view, no-change",
        LOOKING,
    ),
    Key(("M",), "M", "next_metric", "", "switch chart and verdict to the next metric", LOOKING),
    Key(
        ("y",), "y", "metrics", "", "show log loss, precision, recall and more as numbers", LOOKING
    ),
    Key(("n",), "n", "next_event(1)", "event", "look at the next event", LOOKING),
    Key(("N",), "N", "next_event(-1)", "", "look at the previous event", LOOKING),
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
    Key(("shift+tab",), "shift+tab", "other_panel(-1)", "", "the previous panel", PANELS),
    Key(
        ("e",),
        "e",
        "expand",
        "expand",
        "expand the panel in focus to the whole screen, or back",
        PANELS,
    ),
    Key(("up",), "up", "pick(-1)", "", "the previous line of a list", PANELS),
    Key(("down",), "down", "pick(1)", "", "the next line", PANELS),
    Key(("pageup",), "pgup", "pick(-10)", "", "up ten lines", PANELS),
    Key(("pagedown",), "pgdn", "pick(10)", "", "down ten lines", PANELS),
    Key(
        ("enter",),
        "enter",
        "open",
        "",
        "go to the event; open the subroutine or row",
        PANELS,
    ),
    Key(
        ("o",),
        "o",
        "next_order",
        "",
        "sort subroutines (points, use, ...), events (weight, time)",
        PANELS,
    ),
    Key(
        ("v",),
        "v",
        "other_weights",
        "",
        "switch between thresholds and what strategies show",
        PANELS,
    ),
    Key(("slash",), "/", "filter", "filter", "filter events by a text or a kind", PANELS),
    Key(("escape",), "esc", "back", "", "close the dialog; follow the newest step", PANELS),
    Key(("b",), "b", "bookmark", "mark", "bookmark the moment in view, with a note", KEEPING),
    Key(("a",), "a", "acknowledge", "", "acknowledge alarms", KEEPING),
    Key(("A",), "A", "change_alarms", "", "add an alarm; name it again to mute it", KEEPING),
    Key(("s",), "s", "save_svg", "svg", "save the screen as SVG in the working folder", KEEPING),
    Key(
        ("x",),
        "x",
        "save_csv",
        "csv",
        "save the data in view as CSV in the working folder",
        KEEPING,
    ),
    Key(("d",), "d", "stream", "data", "show label, features and settings", PROGRAM),
    Key(("question_mark",), "?", "help", "help", "show this list", PROGRAM),
    Key(("ctrl+p",), "ctrl+p", "app.command_palette", "", "find an action by name", PROGRAM),
    Key(
        ("T",),
        "T",
        "next_theme",
        "",
        "switch the theme: 16 colours or full, dark or light",
        PROGRAM,
    ),
    Key(("q",), "q", "leave", "leave", "quit; the summary stays in the scrollback", PROGRAM),
    Key(
        ("ctrl+z",),
        "ctrl+z",
        "app.suspend_process",
        "",
        "suspend; fg in the shell resumes",
        PROGRAM,
    ),
    Key(("ctrl+c",), "ctrl+c", "app.interrupt", "", "stop the run and quit at once", PROGRAM),
)
GROUPS = (PLAYING, LOOKING, PANELS, KEEPING, PROGRAM)
_WRITING = ("bookmark", "save_svg", "save_csv")  # missing under --readonly
_NOTING = ("bookmark",)  # missing where another process runs
_PACING = ("one_step", "slower", "faster")  # missing where the run has no controls
_FOOTER = ("help", "pause", "look", "leave", "expand", "go_to", "next_event", "next_threshold")


def available_keys(
    readonly: bool = False, is_played: bool = True, can_note: bool = True
) -> list[Key]:
    """Returns the keys that work here; `is_played` is whether keys control the speed."""
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
    help="freeze the view, not the source; again to follow",
)


def footer(
    width: int, keys: Sequence[Key] = KEYS, has_ended: bool = False
) -> list[tuple[str, str]]:
    """Returns the keys and their words that fit the width, the most useful ones first.

    Leaves out the keys for playing when the run has ended.
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
    """Returns the table of docs/monitor.md."""
    lines = ["| key | what it does |", "|---|---|"]
    for group in GROUPS:
        lines.append(f"| **{group}** | |")
        lines += [f"| `{key.shown}` | {key.help} |" for key in KEYS if key.group == group]
    return "\n".join(lines)
