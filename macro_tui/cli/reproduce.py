"""`macro-tui reproduce`: recomputes the paper's tables."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_tui.cli.reproduce_theory import add_theory_arguments, run_theory

if TYPE_CHECKING:
    from macro_engine.experiments.outcome import Outcome
    from macro_engine.work.tasks import Done, Failed, Task

EXAMPLES = (
    "macro-tui reproduce airline --airports ATL,DEN --learners logistic",
    "macro-tui reproduce airline --data 2007.csv.bz2 --workers 4 --report flights",
    "macro-tui reproduce breakfast --data breakfast --json",
    "macro-tui reproduce theory",
)
_NO_CACHE = "none"
_NOTE = 1000  # characters of a note at most


def add_arguments(parser: argparse.ArgumentParser) -> None:
    experiments = parser.add_subparsers(dest="experiment", metavar="EXPERIMENT", required=True)
    airline = experiments.add_parser(
        "airline",
        help="late flights at seven airports",
        description="The paper's experiment on flights: its figures beside ours, claims checked.",
    )
    airline.add_argument(
        "--data",
        nargs="+",
        type=Path,
        default=[],
        metavar="PATH",
        help="prepared recordings (airline-ATL.parquet), raw DataExpo files (2007.csv.bz2) or a "
        "folder of either; default: the shipped replays",
    )
    airline.add_argument("--airports", type=_names, default=[], metavar="ATL,DEN")
    airline.add_argument(
        "--distances", type=_names, default=[], metavar="A,B", help="features,labels; default both"
    )
    airline.add_argument(
        "--learners", type=_names, default=[], metavar="A,B", help="logistic,vw; default both"
    )
    airline.add_argument(
        "--peers", action="store_true", help="also run three classifiers of River; slow"
    )
    airline.add_argument(
        "--time",
        action="store_true",
        help="also time River's LogisticRegression alone and print the ratio; ignores the cache",
    )
    airline.set_defaults(reproduce=_airline)
    breakfast = experiments.add_parser(
        "breakfast",
        help="activities in videos",
        description="The paper's experiment on videos: its figures beside ours, claims checked.",
    )
    breakfast.add_argument(
        "--data",
        required=True,
        type=Path,
        metavar="DIR",
        help="holds features/VIDEO.npy, groundTruth/VIDEO.txt and mapping.txt",
    )
    breakfast.add_argument("--activities", type=_names, default=[], metavar="tea,milk")
    breakfast.add_argument(
        "--distances", type=_names, default=[], metavar="A,B", help="frames,labels; default both"
    )
    breakfast.set_defaults(reproduce=_breakfast)
    theory = experiments.add_parser(
        "theory",
        help="the paper's theorems on synthetic processes",
        description="Excess risk, covering numbers, falling thresholds and outputs on synthetic "
        "processes whose risks are known, and the paper's claims checked.",
    )
    add_theory_arguments(theory)
    for experiment in (airline, breakfast):
        _add_report(experiment)
    for experiment in (airline, breakfast, theory):
        _add_shared(experiment)


def _add_report(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--report",
        type=Path,
        metavar="DIR",
        help="write figures, tables and a page (needs matplotlib)",
    )


def _add_shared(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="the results as one document on standard output"
    )
    parser.add_argument(
        "--workers", type=int, default=1, metavar="N", help="processes of this machine; default 1"
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="a Dask scheduler whose workers do the work"
    )
    parser.add_argument(
        "--cache",
        metavar="DIR",
        help="cache of finished cells, from which a second start continues; none: no cache",
    )


def _names(text: str) -> list[str]:
    return list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def run(arguments: argparse.Namespace) -> int:
    from datetime import UTC, datetime

    if arguments.workers < 1:
        raise UsageError(f"--workers {arguments.workers}: write 1 or more")
    if arguments.experiment == "theory":
        done = partial(_done, arguments=arguments, cache=_cache(arguments))
        return _ended(run_theory(arguments, done))
    if arguments.report is not None:
        from macro_engine.experiments.report import check_report

        check_report(arguments.report)
    outcome, results = arguments.reproduce(arguments)
    _print(outcome, arguments.json)
    if arguments.report is not None:
        from macro_engine.experiments.report import write_report

        today = datetime.now(UTC).strftime("%Y-%m-%d")
        command = shlex.join(["macro-tui", *sys.argv[1:]])
        write_report(outcome, arguments.report, today, visible(command, _NOTE))
        print(f"written: {visible(arguments.report)}/index.html", file=sys.stderr)
    return _ended(results)


def _ended(results: Sequence[Done | Failed]) -> int:
    """Says what failed; returns the exit code."""
    from macro_engine.work.tasks import failures_in_words

    failures = failures_in_words(results)
    if failures:
        print(f"macro-tui reproduce: {failures}", file=sys.stderr)
    return 1 if failures else 0


def _print(outcome: Outcome, as_json: bool) -> None:
    import json
    import shutil
    import textwrap

    from macro_engine.experiments.written_tables import as_text

    if as_json:
        print(json.dumps(outcome.document(), indent=1))
        return
    width = max(shutil.get_terminal_size((80, 24)).columns, 40)
    tables = [as_text(table, width) for table in (*outcome.tables, *outcome.claims)]
    notes = [textwrap.fill(visible(note, _NOTE), width) for note in outcome.notes]
    held = sum(verdict.holds for verdict in outcome.verdicts)
    count = f"Claims: {held} of {len(outcome.verdicts)} verdicts say yes."
    print("\n\n".join([*tables, "\n".join(notes), count]))


def _airline(arguments: argparse.Namespace) -> tuple[Outcome, Sequence[Done | Failed]]:
    from rich.console import Console

    from macro_engine.experiments import airline
    from macro_engine.experiments.airline_data import recordings
    from macro_engine.experiments.airline_outcome import outcome
    from macro_tui.progress import progress_bar
    from macro_tui.replays import shipped_replays

    distances = _known("--distances", arguments.distances, airline.DISTANCES)
    learners = _available(_known("--learners", arguments.learners, airline.LEARNERS), arguments)
    data = arguments.data or [p for p in shipped_replays() if p.name.startswith("airline-")]
    with progress_bar(Console(stderr=True, highlight=False)) as show:
        streams = recordings(
            data,
            arguments.airports,
            _cache(arguments) or _default_cache(),
            lambda done, rows: show(done, f"{rows:,} flights read"),
        )
    plan = airline.Plan(streams, distances, learners, arguments.peers, arguments.time)
    cache = None if arguments.time else _cache(arguments)
    results = _done(plan.tasks(), arguments, cache)
    return outcome(airline.gathered(plan, results)), results


def _breakfast(arguments: argparse.Namespace) -> tuple[Outcome, Sequence[Done | Failed]]:
    from macro_engine.experiments import breakfast
    from macro_engine.experiments.breakfast_outcome import outcome

    distances = _known("--distances", arguments.distances, breakfast.DISTANCES)
    found = breakfast.survey(arguments.data, arguments.activities)
    for reason in found.skipped:
        print(f"skipped: {reason}", file=sys.stderr)
    plan = breakfast.Plan(found.videos, distances)
    results = _done(plan.tasks(), arguments, _cache(arguments))
    gathered = breakfast.gathered(found.activities, results)
    return outcome(gathered, distances, plan.lengths, found.skipped), results


def _known(option: str, named: Sequence[str], known: Sequence[str]) -> list[str]:
    for name in named:
        if name not in known:
            raise UsageError(f"{option}: '{visible(name)}' is unknown; one of: {', '.join(known)}")
    return list(named or known)


def _available(learners: list[str], arguments: argparse.Namespace) -> list[str]:
    """Those whose package is installed; one that was named must be."""
    from importlib.util import find_spec

    if "vw" not in learners or find_spec("vowpalwabbit") is not None:
        return learners
    install = f"{sys.executable} -m pip install 'vowpalwabbit>=9.10,<10'"
    if arguments.learners:
        raise UsageError(f"--learners vw: Vowpal Wabbit is not installed; {install}")
    print(f"without VW: Vowpal Wabbit is not installed; {install}", file=sys.stderr)
    return [name for name in learners if name != "vw"]


def _cache(arguments: argparse.Namespace) -> Path | None:
    if arguments.cache == _NO_CACHE:
        return None
    return Path(arguments.cache) if arguments.cache else _default_cache()


def _default_cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "macro-tui" / "reproduce"


def _done(
    tasks: list[Task], arguments: argparse.Namespace, cache: Path | None
) -> Sequence[Done | Failed]:
    """Does the tasks, with progress and time left on standard error."""
    from rich.console import Console

    from macro_engine.work.tasks import Progress, run_tasks
    from macro_tui.progress import progress_bar

    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    with progress_bar(console) as show:

        def tell(progress: Progress) -> None:
            if progress.said:
                console.print(visible(progress.said, _NOTE))
            share = (progress.done + progress.failed) / max(progress.total, 1)
            show(share, progress.in_words())

        return run_tasks(
            tasks,
            workers=arguments.workers,
            scheduler=arguments.scheduler,
            cache=cache,
            on_progress=tell,
        )
