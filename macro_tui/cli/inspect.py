"""`macro-tui inspect`: what would be read from a recording, and how."""

from __future__ import annotations

import argparse
from pathlib import Path

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.toml import to_toml
from macro_engine.stream.opening import Opened, toml_beside
from macro_engine.subroutines import resolve
from macro_tui.cli.options import add_stream_arguments, open_from
from macro_tui.replays import is_shipped


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_stream_arguments(parser)
    parser.add_argument(
        "--write", action="store_true", help="save the settings as NAME.toml beside the data"
    )


def run(arguments: argparse.Namespace) -> int:
    from macro_tui.inspection import Inspection

    opened = open_from(arguments)
    resolve(opened.settings["subroutine"])
    target = _target(opened) if arguments.write else None
    inspection = Inspection(opened)
    inspection.show()
    if target is not None:
        settings = inspection.settings()
        for name in opened.settings.following & settings.keys():
            del settings[name]
        if settings["subroutine"].startswith("python:"):
            del settings["subroutine"]
            print("not saved: subroutine (python:... is taken from the command line only)")
        try:
            target.write_text(to_toml(settings), "utf-8")
        except OSError as error:
            raise MacroError(f"{visible(target)} cannot be written: {error.strerror}") from None
        print(f"written: {visible(target)}")
    return 0


def _target(opened: Opened) -> Path:
    path = opened.files[0].path
    if is_shipped(path):
        raise MacroError(f"{visible(path.name)} is a shipped replay and describes itself")
    target = toml_beside(path)
    if target.exists():
        raise MacroError(f"{visible(target)} exists already; move it away or edit it by hand")
    return target
