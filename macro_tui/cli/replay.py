"""`macro-tui replay`: run MACRO over recordings."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from macro_engine.errors import UsageError
from macro_tui.cli.options import add_outputs, add_stream_arguments, check_outputs, open_from

if TYPE_CHECKING:
    from macro_engine.run.pace import Speed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_stream_arguments(parser)
    add_outputs(parser, "")
    playing = parser.add_argument_group("playing").add_mutually_exclusive_group()
    playing.add_argument("--speed", metavar="60x", help="multiple of the stream's time, or max")
    playing.add_argument("--rate", type=float, metavar="N", help="rows a second")


def run(arguments: argparse.Namespace) -> int:
    from macro_engine.run.engine import Engine
    from macro_engine.run.pace import Speed
    from macro_tui.headless import Headless

    opened = open_from(arguments)
    taken = {file.path.resolve(): "is read in this run" for file in opened.files}
    check_outputs(arguments, taken)
    headless = Headless("replay", opened)
    if not arguments.headless:
        headless.say("there is no monitor yet: running headless")
    headless.say_what_was_inferred()
    engine = Engine(
        opened,
        arguments.predictions,
        arguments.trace,
        headless.listener,
        arguments.run_file,
        speed_of(arguments) or Speed(),
    )
    with redirect_stdout(sys.stderr):  # a model that prints must not spoil the document
        headless.run(engine)
    if arguments.json:
        json.dump(engine.summary(), sys.stdout, indent=1, allow_nan=False)
        print()
    return 0


def speed_of(arguments: argparse.Namespace) -> Speed | None:
    """The speed asked for; None if none was."""
    from macro_engine.run.pace import Speed

    if arguments.rate is not None:
        if not 0 < arguments.rate < float("inf"):
            raise UsageError("--rate: write a number of rows a second above 0")
        return Speed(rate=arguments.rate)
    return None if arguments.speed is None else Speed.parse(arguments.speed)
