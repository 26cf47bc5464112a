"""`macro-tui tail`: run MACRO over a growing CSV or standard input."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from time import sleep

from macro_engine.errors import MacroError, UsageError
from macro_engine.visible import visible
from macro_tui.cli.options import (
    add_outputs,
    add_settings,
    check_outputs,
    end_at_sigterm,
    layers_from,
    length_of,
)

_LOOK_SECONDS = 0.1  # between two looks at a file that is not there yet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE|-", help="a CSV that grows; -: standard input")
    add_settings(parser)
    live = parser.add_argument_group("live")
    live.add_argument(
        "--from-now", action="store_true", help="leave out what is in the file already"
    )
    live.add_argument(
        "--close-after",
        metavar="LENGTH",
        help="close a step after so long without rows: 30s (ms s m h d), or never; default: the "
        "length of its window; steps counted in rows are closed by rows alone",
    )
    add_outputs(parser, "; at the end: that of standard input, or ctrl+c and SIGTERM")


def run(arguments: argparse.Namespace) -> int:
    end_at_sigterm()
    from macro_engine.live_opening import Live, open_live
    from macro_engine.run.begun import begun_by
    from macro_engine.run.engine import Engine
    from macro_engine.stream.standard_input import Pipe
    from macro_tui.headless import Headless

    is_pipe = arguments.file == "-"
    path = Path(arguments.file)
    if not is_pipe and path.exists() and not path.is_file():
        raise MacroError(f"{visible(path)} is no ordinary file; a growing CSV is expected")
    if is_pipe and arguments.from_now:
        raise UsageError("--from-now: standard input always begins now; leave the option out")
    check_outputs(arguments, {} if is_pipe else {path.resolve(): "is read in this run"})
    silence = arguments.close_after
    if silence not in (None, "never"):
        silence = length_of("--close-after", silence)
    live = Live(Pipe() if is_pipe else path, arguments.from_now, silence)
    begun = None if arguments.run_file is None else begun_by(arguments.run_file)
    opened = open_live(live, _Waiting(live.path), layers_from(arguments), arguments.config, begun)
    headless = Headless("tail", opened)
    if not arguments.headless:
        headless.say("there is no monitor yet: running headless")
    if is_pipe:
        headless.say(
            "standard input cannot be read again: rows that come while nobody runs are lost"
        )
    headless.say_what_was_inferred()
    engine = Engine(
        opened, arguments.predictions, arguments.trace, headless.listener, arguments.run_file
    )
    with redirect_stdout(sys.stderr):  # a model that prints must not spoil the document
        headless.run(engine)
    if arguments.json and engine.steps:
        json.dump(engine.summary(), sys.stdout, indent=1, allow_nan=False)
        print()
    return 130 if engine.was_stopped else 0


class _Waiting:
    """Says once why it waits, and waits a moment."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.said = ""

    def __call__(self, why: str) -> None:
        beginning = why.split(",")[0]  # a count that goes up is said once
        if beginning != self.said:
            self.said = beginning
            print(f"{visible(self.path)}: {why}", file=sys.stderr, flush=True)
        sleep(_LOOK_SECONDS)
