"""`macro-tui watch`: shows a run of another process, or a finished one."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.options.table import OPTIONS
from macro_tui.cli.screen import add_screen_arguments, options_of
from macro_tui.cli.wall import open_wall
from macro_tui.standard_streams import has_screen, need_keys

if TYPE_CHECKING:
    from macro_engine.run.watched import WatchedRun

_SHOWN = ("metric", "class")

EXAMPLES = (
    "macro-tui watch ops.run",
    "macro-tui watch ops.run --readonly --low-bandwidth",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run_files",
        type=Path,
        nargs="+",
        metavar="RUNFILE",
        help="a run file; several are shown as by macro-tui wall",
    )
    parser.add_argument(
        "--readonly", action="store_true", help="disable the keys that write files on this machine"
    )
    shown = parser.add_argument_group("metrics")
    for option in map(OPTIONS.__getitem__, _SHOWN):
        words = f"{option.help}; default: as in the run"
        shown.add_argument(option.flag, dest=option.name, metavar=option.metavar, help=words)
    add_screen_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    if len(arguments.run_files) > 1:
        return open_wall(arguments, arguments.run_files)
    path = arguments.run_files[0]
    options = options_of(arguments, visible(path.name, 40), arguments.readonly, [path])
    if not has_screen():
        raise MacroError("watch needs a terminal; macro-tui runs and export read a run without one")
    if not path.is_file():
        raise MacroError(f"{visible(path)}: no such run file")
    shown = _shown(arguments)
    need_keys()
    from macro_tui.monitor import monitor

    return monitor(partial(_open_session, path, shown), options)


def _shown(arguments: argparse.Namespace) -> dict[str, Any]:
    """By which metric and class the run is looked at, where that was named."""
    from macro_engine.options.settings import Layer

    given = {name: value for name in _SHOWN if (value := getattr(arguments, name)) is not None}
    return dict(Layer.read("command line", given, of_user=True).values)


def _open_session(path: Path, shown: dict[str, Any]) -> WatchedRun:
    from macro_engine.run.watched import WatchedRun

    return WatchedRun(path, shown)
