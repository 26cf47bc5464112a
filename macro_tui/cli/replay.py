"""`macro-tui replay`: runs MACRO over recordings."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_tui.cli.alarms import (
    RANG,
    add_metrics_argument,
    check_metrics,
    command_of,
    rules_of,
    serve_metrics,
)
from macro_tui.cli.options import (
    add_outputs,
    add_stream_arguments,
    check_outputs,
    end_at_sigterm,
    keep_of,
    open_from,
)
from macro_tui.cli.screen import (
    add_screen_arguments,
    check_theme,
    give_way_to_keys,
    options_of,
)
from macro_tui.standard_streams import need_keys

if TYPE_CHECKING:
    from macro_engine.run.engine import Engine, Listener
    from macro_engine.run.playing.speed import Speed
    from macro_engine.run.session import Session
    from macro_engine.stream.opening import Opened

EXAMPLES = (
    "macro-tui replay airline-ATL.parquet",
    "macro-tui replay flights.csv --label 'delay > 15' --run flights.run",
    "macro-tui replay flights.csv --headless --json --predictions out.parquet",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_stream_arguments(parser)
    add_outputs(parser, "")
    playing = parser.add_argument_group("playing").add_mutually_exclusive_group()
    playing.add_argument(
        "--speed",
        metavar="60x",
        help="multiple of the stream's time, or max; default: about three minutes in all",
    )
    playing.add_argument("--rate", type=float, metavar="N", help="rows a second")
    add_screen_arguments(parser)
    add_metrics_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    end_at_sigterm()
    check_metrics(arguments)
    if arguments.headless or arguments.json or not sys.stdout.isatty():
        return _run_headless(arguments)
    try:
        need_keys()
    except MacroError as error:
        return _run_headless(arguments, str(error))
    from macro_tui.monitor import monitor

    speed_of(arguments)  # a wrong value is reported before the screen opens
    name = ", ".join(visible(Path(file).name, 40) for file in arguments.files)
    return monitor(partial(_open_session, arguments), options_of(arguments, name))


def _open_session(arguments: argparse.Namespace) -> Session:
    from macro_engine.run.session import Session

    return Session(partial(_load, arguments))


def _load(arguments: argparse.Namespace, listener: Listener, unnamed: Path) -> Engine:
    """The engine, in the session's thread."""
    engine = _engine(arguments, open_from(arguments), listener, speed_of(arguments), unnamed)
    give_way_to_keys(engine)
    return engine


def _run_headless(
    arguments: argparse.Namespace, why: str = "standard output is not a terminal"
) -> int:
    from macro_engine.run.playing.speed import Speed
    from macro_tui.headless import Headless

    check_theme(arguments)
    rules, on_alarm = rules_of(arguments), command_of(arguments)
    opened = open_from(arguments)
    headless = Headless("replay", opened, rules, on_alarm)
    speed = speed_of(arguments) or Speed()
    if not (arguments.headless or arguments.json):
        headless.say(f"{why}: running headless")
    headless.say_what_was_inferred()
    engine = _engine(arguments, opened, headless.listener, speed)
    with redirect_stdout(sys.stderr):  # a model that prints must not spoil the document
        headless.run(engine)
    if arguments.json:
        json.dump(engine.summary(), sys.stdout, indent=1, allow_nan=False)
        print()
    return RANG if arguments.fail_on_alarm and engine.alarms.rung else 0


def _engine(
    arguments: argparse.Namespace,
    opened: Opened,
    listener: Listener,
    speed: Speed | None,
    unnamed: Path | None = None,
) -> Engine:
    """The engine; `unnamed` is where the run is recorded if no file is named."""
    from macro_engine.run.engine import Engine

    check_outputs(arguments, opened.origin.paths)
    return serve_metrics(
        arguments,
        Engine(
            opened,
            arguments.predictions,
            arguments.trace,
            listener,
            arguments.run_file or unnamed,
            speed,
            keep_of(arguments),
            emit=arguments.emit,
            emit_outcomes=arguments.emit_outcomes,
        ),
    )


def speed_of(arguments: argparse.Namespace) -> Speed | None:
    """The speed asked for; None if none was."""
    from macro_engine.run.playing.speed import Speed

    if arguments.rate is not None:
        if not 0 < arguments.rate < float("inf"):
            raise UsageError("--rate: write a number of rows a second above 0")
        return Speed(rate=arguments.rate)
    return None if arguments.speed is None else Speed.parse(arguments.speed)
