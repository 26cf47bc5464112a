"""`macro-tui serve`: shows a run, or a folder of runs, in browsers on this machine."""

from __future__ import annotations

import argparse
from pathlib import Path

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_tui.cli.screen import check_theme

EXAMPLES = (
    "macro-tui serve ops.run",
    "macro-tui serve /var/lib/macro-tui --port 8123",
    "ssh -L 8000:127.0.0.1:8000 HOST  # at your desk, then http://127.0.0.1:8000",
)
_PORT = 8000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "place", type=Path, metavar="RUN|DIR", help="a run file, or a folder of them"
    )
    parser.add_argument(
        "--port",
        type=_port,
        default=_PORT,
        metavar="N",
        help=f"port on this machine; default {_PORT}",
    )
    parser.add_argument("--theme", metavar="NAME", help="such as textual-dark, nord")


def run(arguments: argparse.Namespace) -> int:
    from macro_tui.web import need_textual_serve, serve

    place = arguments.place
    if not place.exists():
        raise MacroError(f"{visible(place)}: no such run file or folder")
    check_theme(arguments)
    need_textual_serve()
    words = ["wall" if place.is_dir() else "watch", "--readonly", str(place.absolute())]
    if arguments.theme is not None:
        words += ["--theme", arguments.theme]
    serve(words, place.absolute(), arguments.port, visible(place.name or str(place.absolute()), 40))
    return 0


def _port(text: str) -> int:
    if not text.isdigit() or not 0 < int(text) < 1 << 16:
        raise UsageError(f"--port '{visible(text)}' is not a port; write a number from 1 to 65535")
    return int(text)
