"""`macro-tui replay`: run MACRO over recordings."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path

from macro_tui.cli.options import add_stream_arguments, open_from


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_stream_arguments(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--headless", action="store_true", help="no screen: progress and summary on standard error"
    )
    output.add_argument(
        "--json", action="store_true", help="the results as one document on standard output"
    )
    output.add_argument(
        "--predictions", type=Path, metavar="FILE", help="a line a row (.parquet or .csv)"
    )
    output.add_argument(
        "--trace", type=Path, metavar="FILE", help="a line a step and threshold (.parquet or .csv)"
    )


def run(arguments: argparse.Namespace) -> int:
    from macro_engine.run.engine import Engine
    from macro_engine.run.outputs import check_output
    from macro_tui.headless import Headless

    opened = open_from(arguments)
    taken = {file.path.resolve(): "is read in this run" for file in opened.files}
    for option in ("predictions", "trace"):
        path = getattr(arguments, option)
        if path is not None:
            check_output(path, f"--{option}", taken)
            taken[path.resolve()] = f"is written by --{option} already"
    headless = Headless(opened)
    if not arguments.headless:
        headless.say("there is no monitor yet: running headless")
    headless.say_what_was_inferred()
    engine = Engine(opened, arguments.predictions, arguments.trace, headless.listener)
    with redirect_stdout(sys.stderr):  # a model that prints must not spoil the document
        headless.run(engine)
    if arguments.json:
        json.dump(engine.summary(), sys.stdout, indent=1, allow_nan=False)
        print()
    return 0
