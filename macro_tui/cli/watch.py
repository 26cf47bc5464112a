"""`macro-tui watch`: look at a run that another process makes, or a finished one."""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_tui.cli.screen import add_screen_arguments, options_of
from macro_tui.standard_streams import need_keys

if TYPE_CHECKING:
    from macro_engine.run.watched import WatchedRun


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_file", type=Path, metavar="RUNFILE")
    parser.add_argument(
        "--readonly", action="store_true", help="no key that writes a file on this machine"
    )
    add_screen_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    path = arguments.run_file
    if not sys.stdout.isatty():
        raise MacroError("watch needs a terminal; macro-tui runs and export read a run without one")
    if not path.is_file():
        raise MacroError(f"{visible(path)}: no such run file")
    need_keys()
    from macro_tui.monitor import monitor

    options = options_of(arguments, visible(path.name, 40), arguments.readonly)
    return monitor(partial(_open_session, path), options)


def _open_session(path: Path) -> WatchedRun:
    from macro_engine.run.watched import WatchedRun

    return WatchedRun(path)
