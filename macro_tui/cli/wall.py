"""`macro-tui wall`: shows many runs on one screen."""

from __future__ import annotations

import argparse
from pathlib import Path

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_tui.cli.screen import add_screen_arguments, options_of
from macro_tui.standard_streams import has_screen, need_keys

EXAMPLES = ("macro-tui wall /var/lib/macro-tui",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "paths",
        type=Path,
        nargs="*",
        default=[Path()],
        metavar="RUN|DIR",
        help="run files, or folders of them; default: the working folder",
    )
    parser.add_argument(
        "--readonly", action="store_true", help="disable the keys that write files on this machine"
    )
    add_screen_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    return open_wall(arguments, arguments.paths)


def open_wall(arguments: argparse.Namespace, paths: list[Path]) -> int:
    """Shows the runs of some files and folders until the user leaves."""
    options = options_of(arguments, "wall", arguments.readonly, paths)
    for place in paths:
        if not place.exists():
            raise MacroError(f"{visible(place)}: no such run file or folder")
    if not has_screen():
        raise MacroError("wall needs a terminal; macro-tui runs lists the runs without one")
    need_keys()
    from macro_tui.monitor import show_wall

    return show_wall(paths, options)
