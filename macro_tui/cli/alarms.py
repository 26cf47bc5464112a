"""Options for alarms and for `--metrics`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from macro_engine.core.errors import MacroError

if TYPE_CHECKING:
    from macro_engine.run.alarms.alarms import Rule
    from macro_engine.run.engine import Engine

RANG = 3  # exit code of a run with an alarm, under --fail-on-alarm


def add_alarm_arguments(parser: argparse.ArgumentParser) -> None:
    alarms = parser.add_argument_group("alarms")
    alarms.add_argument(
        "--alarm",
        action="append",
        default=[],
        metavar="RULE",
        help="such as 'ftl > marginal + 1pp for 4h', 'blend > 25%%', 'no rows for 5m', "
        "'no step for 1h', 'rejected > 5%% for 10m', 'lag > 2m', 'birth', 'leader changed'",
    )
    alarms.add_argument(
        "--on-alarm",
        metavar="COMMAND",
        help="run a program, without a shell, for each alarm; it gets JSON on standard input",
    )
    alarms.add_argument(
        "--fail-on-alarm",
        action="store_true",
        help=f"end with exit code {RANG} if an alarm rang",
    )


def add_metrics_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--metrics",
        metavar="ADDRESS",
        help="serve metrics of the run to Prometheus, on this machine: 127.0.0.1:9464",
    )


def check_metrics(arguments: argparse.Namespace) -> None:
    """Refuses an address that cannot be served, before anything is opened."""
    if arguments.metrics is not None:
        from macro_engine.run.prometheus import need_prometheus, read_address

        read_address(arguments.metrics)
        need_prometheus()


def serve_metrics(arguments: argparse.Namespace, engine: Engine) -> Engine:
    """Has the numbers of a run served, if that is asked for."""
    if arguments.metrics is not None:
        from macro_engine.run.prometheus import read_address, serve

        serve(engine, *read_address(arguments.metrics))
    return engine


def rules_of(arguments: argparse.Namespace, runs: Sequence[Path] = ()) -> tuple[Rule, ...]:
    """Returns the rules; an invalid one is an error. They may name series of run files.

    `runs` are these files, or folders of them.
    """
    if not arguments.alarm:
        return ()
    from macro_engine.run.alarms.rules import parse

    series = _series_in(runs) if runs else set()
    return tuple(parse(rule, series) for rule in arguments.alarm)


def _series_in(runs: Sequence[Path]) -> set[str]:
    """Returns the series of all run files that can be read."""
    from macro_engine.run.store.runfile import RunReader

    found: set[str] = set()
    for run in runs:
        for path in run.glob("*.run") if run.is_dir() else [run]:
            with suppress(MacroError), closing(RunReader(path)) as reader:
                found.update(reader.names.series)
    return found


def command_of(arguments: argparse.Namespace) -> tuple[str, ...]:
    """Returns the words of the alarm command; empty if there is none."""
    if arguments.on_alarm is None:
        return ()
    from macro_engine.run.alarms.command import read_command

    return tuple(read_command(arguments.on_alarm))
