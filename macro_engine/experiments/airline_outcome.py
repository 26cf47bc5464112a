"""The experiment on flights as tables and verdicts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from macro_engine.core.format import count_text
from macro_engine.experiments import airline
from macro_engine.experiments.airline import Results, rate_text, run_macro
from macro_engine.experiments.bootstrap import BLOCK, DRAWS
from macro_engine.experiments.cells import SQRT, Group, Verdict
from macro_engine.experiments.claims import on_cost, on_learners, on_strategies
from macro_engine.experiments.outcome import Outcome
from macro_engine.experiments.paper_figures import FLIGHTS, SHORT
from macro_engine.experiments.peers import PEERS, run_peer, time_river
from macro_engine.experiments.tables import (
    LINES,
    ResultTable,
    claim_tables,
    differences_table,
    errors_table,
    peers_table,
    steps_table,
)

OTHER_DATA = (
    "The paper's figures are of all of 2007, with actual schedules; compare the gains rather than "
    "the errors."
)
_INTERVALS = (
    f"± half of the 95 % interval: {DRAWS:,} draws of blocks of {BLOCK} days in succession; SR 1 "
    "and SR .05 are the baseline with these steps"
)


def outcome(results: Results) -> Outcome:
    """Everything that is shown and written of the experiment."""
    verdicts = list(_verdicts(results))
    plan = results.plan
    timed, line = _timing(results)
    return Outcome(
        "airline",
        airline.NAME,
        results.cells,
        verdicts,
        results.compared,
        list(_tables(results)),
        claim_tables(results.cells.places, verdicts),
        [OTHER_DATA, LINES, *_streams(results), *line],
        {
            "airports": list(plan.recordings),
            "recordings": [path.name for path in plan.recordings.values()],
            "distances": list(plan.distances),
            "learners": list(plan.learners),
            "rates": list(airline.RATES),
            "history": 1,
            "presets": [f"paper-{distance}" for distance in plan.distances],
            "peers": PEERS if plan.peers else {},
        },
        results.failed,
        timed,
    )


def _runs(results: Results) -> Iterator[tuple[str, str, Group]]:
    """Each distance and learner that has cells, with the group of its tables."""
    for distance in results.plan.distances:
        for learner in results.plan.learners:
            yield distance, learner, Group("", distance, learner, _rate(learner), 1)


def _rate(learner: str) -> str | None:
    return SQRT if learner == "logistic" else None


def _tables(results: Results) -> Iterator[ResultTable]:
    cells, compared = results.cells, results.compared
    for distance, learner, group in _runs(results):
        step = f", {rate_text(SQRT)}" if learner == "logistic" else ""
        name = SHORT[learner]
        title = (
            f"{distance.capitalize()} distance, {name} ({learner}{step}): error in %, ours/paper"
        )
        yield errors_table(cells, group, FLIGHTS.get((distance, learner)), title)
    if "logistic" in results.plan.learners:
        for distance in results.plan.distances:
            yield steps_table(cells, distance, airline.RATES)
    peers = peers_table(cells, _peer_times(results))
    if peers is not None:
        yield peers
    for _, _, group in _runs(results):
        yield differences_table(cells.places, compared, group, _INTERVALS)


def _verdicts(results: Results) -> Iterator[Verdict]:
    yield from on_strategies(results.cells)
    yield from on_learners(results.cells, results.plan.distances, SQRT)
    for (name, group, _), value in results.values.items():
        if name == run_macro.__name__ and group.rate in (SQRT, None):
            yield from on_cost(group, value["members"])


def _peer_times(results: Results) -> list[tuple[str, list[float | None]]]:
    found = []
    for peer in PEERS:
        values = [
            results.values.get((run_peer.__name__, Group(place, None, None, None, 1), peer))
            for place in results.cells.places
        ]
        times = [None if value is None else 1e6 * value["cpu"] / value["rows"] for value in values]
        if any(time is not None for time in times):
            found.append((peer, times))
    return found


def _streams(results: Results) -> Iterator[str]:
    """The length of each stream, and its rejected rows."""
    known: dict[str, dict[str, Any]] = {}
    for (name, group, _), value in results.values.items():
        if name == run_macro.__name__:
            known.setdefault(group.place, value)
    rows = ", ".join(f"{place} {value['rows']:,}" for place, value in known.items())
    if rows:
        yield f"Flights: {rows}."
    for place, value in known.items():
        if value["rejected"]:
            yield f"{place}: {count_text(value['rejected'], 'row')} rejected."


def _timing(results: Results) -> tuple[dict[str, Any], list[str]]:
    """CPU time beside that of River's LogisticRegression over the same streams in the same run."""
    alone = sum(
        float(value["cpu"])
        for (name, _, _), value in results.values.items()
        if name == time_river.__name__
    )
    if not alone:
        return {}, []
    spent: dict[str, float] = {}
    for (name, group, _), value in results.values.items():
        if name == run_macro.__name__ and group.rate in (SQRT, None):
            spent[str(group.learner)] = spent.get(str(group.learner), 0.0) + value["cpu"]
    everything = sum(
        value["cpu"]
        for (name, group, _), value in results.values.items()
        if name not in (time_river.__name__, run_peer.__name__) and group.learner != "vw"
    )
    document = {
        "river_seconds": alone,
        "seconds": spent,
        "ratios": {learner: cpu / alone for learner, cpu in spent.items()},
        "ratio_with_all_steps": everything / alone,
    }
    ratios = "; ".join(
        f"{learner} {cpu:.1f} s, {cpu / alone:.1f} times" for learner, cpu in spent.items()
    )
    line = (
        f"CPU time, reading included: River's LogisticRegression alone {alone:.1f} s; "
        f"{' and '.join(results.plan.distances)}, {ratios} that; with all steps and lag features "
        f"{everything / alone:.1f} times."
    )
    return {"timing": document}, [line]
