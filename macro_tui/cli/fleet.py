"""`macro-tui fleet`: runs MACRO over many streams at once."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.options.table import OPTIONS
from macro_tui.cli.alarms import RANG, command_of, rules_of
from macro_tui.cli.options import add_settings, end_at_sigterm, layers_from, length_of
from macro_tui.cli.screen import add_screen_arguments, check_theme, options_of
from macro_tui.replays import find_recording
from macro_tui.standard_streams import need_keys

if TYPE_CHECKING:
    from macro_engine.fleet.fleet import Fleet, StreamRunner, StreamStatus
    from macro_engine.fleet.stream import Stream

EXAMPLES = (
    "macro-tui fleet airline-ATL.parquet airline-DEN.parquet --to runs",
    "macro-tui fleet --live gate1.csv gate2.csv gate3.csv --label delayed --to runs",
    "macro-tui fleet *.csv --to runs --scheduler tcp://127.0.0.1:8786 --json",
)
_LINES = 50  # streams that the summary lists
_PATIENCE = 25.0  # seconds for the fleet to end


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "streams",
        nargs="*",
        metavar="STREAM",
        help="recordings, a run each; a bare name may be a shipped replay",
    )
    parser.add_argument(
        "--to",
        type=Path,
        required=True,
        metavar="DIR",
        help="folder of the run files; the same command resumes each stream",
    )
    parser.add_argument(
        "--live",
        nargs="*",
        metavar="FILE",
        help="growing CSVs, followed until ctrl+c as tail does; without a name: every STREAM",
    )
    parser.add_argument(
        "--from-now", action="store_true", help="skip what the live files already hold"
    )
    parser.add_argument(
        "--close-after", metavar="LENGTH", help="as in tail: 30s (ms s m h d), or never"
    )
    runner = parser.add_argument_group("workers").add_mutually_exclusive_group()
    runner.add_argument(
        "--workers", type=int, metavar="N", help="processes of this machine; default: its cores"
    )
    runner.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="the workers of an existing Dask cluster, such as tcp://127.0.0.1:8786; they read "
        "the streams at the same paths",
    )
    add_settings(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--headless", action="store_true", help="no screen: progress and summary on standard error"
    )
    output.add_argument(
        "--json", action="store_true", help="one JSON document with an entry a stream"
    )
    output.add_argument(
        "--keep", metavar="30d|10GB", help="keep only this much in each run file; default: all"
    )
    add_screen_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    end_at_sigterm()
    check_theme(arguments)
    runner = _runner_of(arguments)
    streams = _streams(arguments)
    from macro_engine.fleet.fleet import Fleet

    has_screen = sys.stdout.isatty() and not (arguments.headless or arguments.json)
    if has_screen:
        try:
            need_keys()
        except MacroError as error:
            has_screen = False
            print(f"{error}: running headless", file=sys.stderr)
    said: list[str] = []
    fleet = Fleet(streams, runner, said.append if has_screen else _say)
    interrupted = False
    try:
        _show_wall(arguments, fleet) if has_screen else _show_progress(fleet)
    except KeyboardInterrupt:
        interrupted = True  # every run goes on from its file
    finally:
        _end(fleet)
    code = _report(arguments, fleet, said)
    return code or (130 if interrupted else 0)


def _runner_of(arguments: argparse.Namespace) -> Callable[[], StreamRunner]:
    """Who is to run the streams."""
    if arguments.scheduler is not None:
        if arguments.on_alarm is not None:
            raise UsageError(
                "--on-alarm: the streams run elsewhere under --scheduler; use wall --on-alarm, or "
                "--workers"
            )
        address = arguments.scheduler

        def elsewhere() -> StreamRunner:
            from macro_engine.fleet.dask_runner import DaskRunner

            return DaskRunner(address)

        return elsewhere
    workers = arguments.workers
    if workers is None:
        affinity = getattr(os, "sched_getaffinity", None)
        workers = len(affinity(0)) if affinity else os.cpu_count() or 1
    if workers < 1:
        raise UsageError(f"--workers {workers}: write 1 or more")

    def here() -> StreamRunner:
        from macro_engine.fleet.fleet import LocalRunner

        return LocalRunner(workers)

    return here


def _streams(arguments: argparse.Namespace) -> list[Stream]:
    """What is asked of each stream; what is wrong with all of them is said at once."""
    from macro_engine.fleet.stream import Stream, run_names
    from macro_engine.run.store.retention import Retention

    layers_from(arguments)
    rules_of(arguments)
    if arguments.keep is not None:
        Retention.parse(arguments.keep)
    if arguments.close_after not in (None, "never"):
        arguments.close_after = length_of("--close-after", arguments.close_after)
    live = list(arguments.live or [])
    recordings = list(arguments.streams)
    if arguments.live == []:
        live, recordings = recordings, []
    if not live and not recordings:
        raise UsageError("name the streams: macro-tui fleet a.csv b.csv --to runs")
    if "-" in live or "-" in recordings:
        raise UsageError("-: standard input is one stream; use tail")
    if not live and (arguments.from_now or arguments.close_after is not None):
        raise UsageError("--from-now and --close-after are for live files; name them with --live")
    sources = [_found(name) for name in recordings] + live
    names = run_names(sources)
    folder: Path = arguments.to
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MacroError(f"--to {visible(folder)}: {error.strerror}; name a folder") from None
    shared: dict[str, Any] = {
        "options": {
            name: value for name in OPTIONS if (value := getattr(arguments, name, None)) is not None
        },
        "preset": arguments.preset,
        "config": None if arguments.config is None else str(arguments.config.absolute()),
        "keep": arguments.keep,
        "alarms": tuple(arguments.alarm),
        "on_alarm": command_of(arguments),
    }
    return [
        Stream(
            name,
            source,
            str(folder / f"{name}.run"),
            is_live=place >= len(recordings),
            from_now=arguments.from_now,
            close_after=arguments.close_after,
            **shared,
        )
        for place, (name, source) in enumerate(zip(names, sources, strict=True))
    ]


def _found(name: str) -> str:
    try:
        return str(find_recording(name))
    except MacroError:
        return name  # its run says what is wrong with it


def _show_wall(arguments: argparse.Namespace, fleet: Fleet) -> None:
    """The wall of the streams, until the user leaves it."""
    from dataclasses import replace

    from macro_tui.monitor import show_wall

    # the runs watch for alarms and tell the command of them; the wall shows what they say
    options = replace(options_of(arguments, "fleet"), alarms=(), on_alarm=(), fail_on_alarm=False)
    places = [Path(one.stream.run_file) for one in fleet.standings]
    fleet.thread.start()
    show_wall(places, options, fleet.lines)


def _show_progress(fleet: Fleet) -> None:
    """A bar on a terminal, a line a minute elsewhere, until all have ended."""
    from rich.console import Console

    from macro_tui.progress import progress_bar

    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    with progress_bar(console) as show:
        fleet.thread.start()
        while not fleet.ended.wait(0.2):
            show(*fleet.progress())


def _end(fleet: Fleet) -> None:
    """Has every run commit what it read and end; a second ctrl+c does not wait for that."""
    fleet.stop()
    if fleet.thread.ident is None:
        return
    fleet.ended.wait(_PATIENCE)
    if fleet.error is not None:
        raise fleet.error


def _report(arguments: argparse.Namespace, fleet: Fleet, said: list[str]) -> int:
    """Says what became of the streams; returns the exit code."""
    from macro_engine.fleet.fleet import failures_in_words

    listed = {f"{one.stream.name}: {one.reason}" for one in fleet.failed}
    for line in said:
        if line not in listed:
            _say(line)
    if len(fleet.standings) <= _LINES:
        width = max(len(one.stream.name) for one in fleet.standings)
        for one in fleet.standings:
            _say(_line_of(one, width))
    else:
        _say(fleet.progress()[1])
        if failures := failures_in_words(fleet):
            _say(failures)
    if arguments.json:
        json.dump(fleet.document(), sys.stdout, indent=1, allow_nan=False)
        print()
    if fleet.failed:
        return 1
    if arguments.fail_on_alarm and fleet.rung:
        return RANG
    return 0


def _line_of(one: StreamStatus, width: int) -> str:
    words = f"{visible(one.stream.name):{width}}  {one.state}"
    if one.reason:
        return f"{words}: {one.reason}"
    value = one.value or {}
    summary = value.get("summary")
    if one.stream.is_live and not summary and value.get("remarks"):
        return f"{words}, without a step: {value['remarks'][-1]}"
    if summary:
        errors = summary["errors"]
        shown = [name for name in errors if name != "no_change"]
        words += f"  {summary['rows']:,} rows  "
        words += "  ".join(f"{name} {errors[name]:.2%}" for name in shown)
    return words


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
