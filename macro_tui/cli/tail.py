"""`macro-tui tail`: runs MACRO over a growing CSV, standard input or a Kafka topic."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.stream.source import FILE, STANDARD_INPUT, scheme_of
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
    add_settings,
    check_outputs,
    end_at_sigterm,
    keep_of,
    layers_from,
    length_of,
)
from macro_tui.cli.screen import (
    add_screen_arguments,
    check_theme,
    give_way_to_keys,
    options_of,
)
from macro_tui.standard_streams import keys_from_terminal, need_keys

if TYPE_CHECKING:
    from macro_engine.run.engine import Engine, Listener
    from macro_engine.run.session import Session
    from macro_engine.stream.opening import Opened

_LOOK_SECONDS = 0.1  # between two looks at a file that is not there yet

EXAMPLES = (
    "macro-tui tail live.csv --run ops.run --alarm 'no rows for 5m'",
    "producer | macro-tui tail - --label late",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FILE|-|SOURCE:...",
        help="a CSV that grows; -: standard input; kafka://HOST:9092/TOPIC; SOURCE:...: a source "
        "of a plugin",
    )
    add_settings(parser)
    live = parser.add_argument_group("live")
    live.add_argument("--from-now", action="store_true", help="skip what is there already")
    live.add_argument(
        "--close-after",
        metavar="LENGTH",
        help="close a step after this long without rows: 30s (ms s m h d), or never; default: the "
        "length of its window; only rows close steps that are counted in rows",
    )
    add_outputs(parser, "; written when standard input ends or the run is stopped")
    add_screen_arguments(parser)
    add_metrics_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    end_at_sigterm()
    _check(arguments)
    is_pipe = scheme_of(arguments.file)[0] == STANDARD_INPUT
    if arguments.headless or arguments.json:
        return _run_headless(arguments)
    if not sys.stdout.isatty():
        return _run_headless(arguments, "standard output is not a terminal: running headless")
    options = options_of(arguments, _name(arguments.file, short=True))
    descriptor = 0
    if is_pipe and sys.stdin is not None and sys.stdin.isatty():
        return _run_headless(arguments, "rows and keys cannot both be typed: running headless")
    try:
        if is_pipe:
            descriptor = keys_from_terminal()
        else:
            need_keys()
    except MacroError as error:
        return _run_headless(arguments, f"{error}: running headless")
    from macro_tui.monitor import monitor

    return monitor(partial(open_session, arguments, descriptor), options)


def _check(arguments: argparse.Namespace) -> None:
    """Checks the arguments before anything is opened."""
    check_metrics(arguments)
    scheme, text = scheme_of(arguments.file)
    path = Path(text)
    if scheme == STANDARD_INPUT and sys.stdin is None:
        raise MacroError("standard input cannot be read: it is closed")
    if scheme == STANDARD_INPUT and arguments.from_now:
        raise UsageError("--from-now: standard input always begins now; leave the option out")
    if scheme == FILE and path.exists() and not path.is_file():
        raise MacroError(f"{visible(path)} is not a regular file; a growing CSV is expected")
    if arguments.close_after not in (None, "never"):
        arguments.close_after = length_of("--close-after", arguments.close_after)


def open_session(arguments: argparse.Namespace, descriptor: int) -> Session:
    """The run as the monitor shows it; rows of standard input are read from the descriptor."""
    from macro_engine.run.session import Session

    def load(listener: Listener, unnamed: Path) -> Engine:
        opened = _open(arguments, descriptor, session.wait)
        engine = _engine(arguments, opened, listener, unnamed)
        give_way_to_keys(engine)
        return engine

    session = Session(load, is_live=True)
    return session


def _run_headless(arguments: argparse.Namespace, why: str = "") -> int:
    from macro_tui.headless import Headless

    if why:
        print(why, file=sys.stderr, flush=True)
    check_theme(arguments)
    rules, on_alarm = rules_of(arguments), command_of(arguments)
    opened = _open(arguments, 0, _Waiting(arguments.file))
    headless = Headless("tail", opened, rules, on_alarm)
    engine = _engine(arguments, opened, headless.listener)
    if not engine.reader.source.can_rewind:
        name = engine.reader.source.name
        headless.say(
            f"{name} cannot be read again: rows that arrive while no run reads it are lost"
        )
    headless.say_what_was_inferred()
    with redirect_stdout(sys.stderr):  # a model that prints must not spoil the document
        headless.run(engine)
    if arguments.json and engine.steps:
        json.dump(engine.summary(), sys.stdout, indent=1, allow_nan=False)
        print()
    if arguments.fail_on_alarm and engine.alarms.rung:
        return RANG
    return 130 if engine.was_stopped else 0


def _open(arguments: argparse.Namespace, descriptor: int, wait: Callable[[str], None]) -> Opened:
    """Opens the stream, once enough of it is there to infer how it is read."""
    from macro_engine.run.stored_stream import stored_stream
    from macro_engine.stream.opening import open_stream
    from macro_engine.stream.source import origin_of

    layers = layers_from(arguments)
    origin = origin_of(arguments.file, arguments.from_now, descriptor)
    check_outputs(arguments, origin.paths)
    return open_stream(
        origin,
        layers,
        arguments.config,
        wait=wait,
        stored=None if arguments.run_file is None else stored_stream(arguments.run_file),
        close_after=arguments.close_after,
    )


def _engine(
    arguments: argparse.Namespace, opened: Opened, listener: Listener, unnamed: Path | None = None
) -> Engine:
    """The engine; `unnamed` is where the run is recorded if no file is named."""
    from macro_engine.run.engine import Engine

    return serve_metrics(
        arguments,
        Engine(
            opened,
            arguments.predictions,
            arguments.trace,
            listener,
            arguments.run_file or unnamed,
            keep=keep_of(arguments),
            emit=arguments.emit,
            emit_outcomes=arguments.emit_outcomes,
        ),
    )


def _name(file: str, short: bool = False) -> str:
    """What the stream is called in messages."""
    scheme, text = scheme_of(file)
    if scheme == STANDARD_INPUT:
        return "standard input"
    if scheme != FILE:
        return visible(file, 40)
    return visible(Path(text).name, 40) if short else visible(Path(text))


class _Waiting:
    """Prints the reason once, then sleeps a moment."""

    def __init__(self, file: str) -> None:
        self.name = _name(file)
        self.said = ""

    def __call__(self, why: str) -> None:
        beginning = why.split(",")[0]  # a count that goes up is said once
        if beginning != self.said:
            self.said = beginning
            print(f"{self.name}: {why}", file=sys.stderr, flush=True)
        sleep(_LOOK_SECONDS)
