"""The paper's experiment on flights: both distances, both learners, every threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from macro_engine.experiments.bootstrap import by_days
from macro_engine.experiments.cells import (
    CONSTANT,
    LAG,
    PRINTED,
    SERIES,
    SQRT,
    THRESHOLD,
    Cell,
    Cells,
    Compared,
    Group,
    Rate,
)
from macro_engine.experiments.lag_features import LagFeatures
from macro_engine.experiments.measured_run import measured, opened_for
from macro_engine.experiments.paper_figures import FLIGHTS
from macro_engine.experiments.peers import PEERS, run_peer, time_river
from macro_engine.work.tasks import Done, Failed, Task, work

DISTANCES = ("features", "labels")
LEARNERS = ("logistic", "vw")
RATES: tuple[Rate, ...] = (SQRT, PRINTED, CONSTANT)  # of logistic
NAME = "airport"  # of a place


@work
def run_macro(task: Task) -> dict[str, Any]:
    """A whole grid, the strategies and the baselines over one recording."""
    asked = task.settings
    options = {"subroutine": asked["learner"], "strategies": asked["strategies"]}
    if asked["rate"] is not None:
        options["learning_rate"] = asked["rate"]
    return measured(opened_for(task.data, f"paper-{asked['distance']}", options))


@work
def run_lag(task: Task) -> dict[str, Any]:
    """Runs the plain learner with shares of late flights in the last steps as features."""
    options = {"learning_rate": task.settings["rate"], "thresholds": "inf", "strategies": "ftl"}
    opened = opened_for(task.data, "paper-labels", options)
    return measured(opened, LagFeatures(len(opened.spec.classes or ())).widen)


@dataclass(frozen=True)
class Plan:
    """The experiment to compute.

    Attributes
    ----------
    recordings
        The prepared stream of each airport.
    peers
        Whether River's classifiers run beside.
    timed
        Whether River's LogisticRegression is timed alone over the same streams.
    """

    recordings: Mapping[str, Path]
    distances: Sequence[str] = DISTANCES
    learners: Sequence[str] = LEARNERS
    peers: bool = False
    timed: bool = False

    def tasks(self) -> list[Task]:
        """One for each run; those that take long come last."""
        tasks: list[Task] = []
        for airport, path in self.recordings.items():
            if self.timed:
                tasks.append(_task(time_river, airport, path, "River alone", {}))
            if "logistic" in self.learners:
                for rate in RATES:
                    tasks += [
                        self._macro(airport, path, d, "logistic", rate) for d in self.distances
                    ]
                    about = f"logistic with lag features, {rate_text(rate)}"
                    tasks.append(_task(run_lag, airport, path, about, {"rate": rate}))
        for learner in self.learners:
            if learner != "logistic":
                for airport, path in self.recordings.items():
                    tasks += [self._macro(airport, path, d, learner, None) for d in self.distances]
        for peer in PEERS if self.peers else ():
            for airport, path in self.recordings.items():
                tasks.append(_task(run_peer, airport, path, peer, {"peer": peer}))
        return tasks

    def _macro(self, airport: str, path: Path, distance: str, learner: str, rate: Rate) -> Task:
        strategies = ["ftl", "ewa", *(["blend"] if rate == SQRT else [])]
        settings = {
            "distance": distance,
            "learner": learner,
            "rate": rate,
            "strategies": strategies,
        }
        about = f"{learner}, {distance}" + ("" if rate is None else f", {rate_text(rate)}")
        return _task(run_macro, airport, path, about, settings)


def _task(function: Any, airport: str, path: Path, about: str, settings: dict[str, Any]) -> Task:
    return Task.of(function, {NAME: airport} | settings, (path,), f"{airport}: {about}")


def rate_text(rate: Rate) -> str:
    """
    >>> [rate_text(rate) for rate in ("sqrt", 1.0, 0.05)]
    ['step 1/sqrt(t)', 'step 1', 'step 0.05']
    """
    return "step 1/sqrt(t)" if rate == SQRT else f"step {rate:g}"


@dataclass
class Results:
    """The results of an experiment.

    Attributes
    ----------
    values
        Of the tasks that were done, by function and settings.
    """

    plan: Plan
    cells: Cells
    compared: list[Compared]
    values: dict[tuple[str, Group, str], dict[str, Any]]
    failed: list[Failed]


def gathered(plan: Plan, results: Sequence[Done | Failed]) -> Results:
    """The cells of all that was done, in the order of airports."""
    found = Results(plan, Cells(list(plan.recordings)), [], {}, [])
    for result in results:
        if isinstance(result, Failed):
            found.failed.append(result)
            continue
        asked = result.task.settings
        name = result.task.name.rpartition(":")[2]
        group = Group(
            asked[NAME], asked.get("distance"), asked.get("learner"), asked.get("rate"), 1
        )
        found.values[name, group, asked.get("peer", "")] = result.value
    for airport in plan.recordings:
        for (name, group, peer), value in found.values.items():
            if group.place == airport:
                _add_cells(found, name, group, peer, value)
    for (name, group, _), value in found.values.items():
        if name == run_macro.__name__:
            found.compared += _compared(found, group, value)
    return found


def _add_cells(found: Results, name: str, group: Group, peer: str, value: dict[str, Any]) -> None:
    rows, cells = value["rows"], found.cells
    if name == run_macro.__name__:
        table = FLIGHTS.get((str(group.distance), str(group.learner)))
        for series in (name for name in SERIES if name in value["wrong"]):
            paper = None if table is None else table.error(group.place, series)
            cells.add(Cell(group, series, None, value["wrong"][series] / rows, paper))
        for member in value["members"]:
            at = member["threshold"]
            paper = None if table is None else table.error(group.place, THRESHOLD, at)
            cells.add(Cell(group, THRESHOLD, at, member["wrong"] / rows, paper))
    elif name == run_lag.__name__:
        for distance in found.plan.distances:  # it depends on none: it stands beside each
            beside = Group(group.place, distance, "logistic", group.rate, 1)
            cells.add(Cell(beside, LAG, None, value["wrong"]["marginal"] / rows))
    elif name == run_peer.__name__:
        cells.add(
            Cell(Group(group.place, None, None), peer, None, value["wrong"]["marginal"] / rows)
        )


def _compared(found: Results, group: Group, value: dict[str, Any]) -> list[Compared]:
    """FTL beside each rival on the same rows."""
    days = value["days"]
    if days is None:
        return []
    rivals = {name: days[name] for name in SERIES if name in value["wrong"] and name != "ftl"}
    for (name, of, peer), other in found.values.items():
        if of.place != group.place or other.get("days") is None or other["rows"] != value["rows"]:
            continue
        marginal = other["days"]["marginal"]
        if name == run_lag.__name__ and of.rate == group.rate:
            rivals[LAG] = marginal
        elif name == run_peer.__name__:
            rivals[peer] = marginal
        elif name == run_macro.__name__ and of.rate in (PRINTED, CONSTANT) and of != group:
            rivals[f"marginal, {rate_text(of.rate)}"] = marginal
    return [
        Compared(group, rival, by_days(days["rows"], days["ftl"], wrong))
        for rival, wrong in rivals.items()
    ]
