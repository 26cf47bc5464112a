"""One run of an experiment: numbers of wrong rows by predictor and day."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np

from macro_engine.core.rows import Block, Ints
from macro_engine.core.steps import Steps
from macro_engine.options.presets import preset
from macro_engine.options.settings import Layer
from macro_engine.run.pipeline import Pipeline
from macro_engine.stream.opening import Opened, open_stream
from macro_engine.stream.table import Rejections

ORIGIN = "reproduce"  # of the settings
MARKS = 8  # moments at which the cost so far is looked at
_DAY = 86_400_000_000  # microseconds
_STEPS_AT_ONCE = 2000


def opened_for(paths: Sequence[Path], experiment: str, options: dict[str, Any]) -> Opened:
    """A recording under a preset, with options that win over it."""
    layers = [Layer.read(ORIGIN, options, of_user=True), preset(experiment)]
    return open_stream(paths, layers)


def measured(
    opened: Opened, changed: Callable[[Block], Block] = lambda block: block
) -> dict[str, Any]:
    """Takes a recording through the ensemble, as a replay does, and returns numbers as JSON.

    `wrong` counts rows by series, `members` has `threshold`, `wrong`, `subroutines` and `cost` for
    each of the grid, and `days` the rows and the wrong ones by day for series and members (`t0`,
    `t1`, ...). `cpu` are seconds, reading included, loading of kernels excluded.

    Parameters
    ----------
    changed
        Is given each block and returns the one that is run in its place.
    """
    began = process_time()
    rejections = Rejections()
    reader = opened.reader(rejections)
    remarks: list[str] = []
    pipeline = Pipeline(opened, looks_ahead=False, announce=remarks.append)
    tally: _Tally | None = None
    loading = 0.0
    try:
        for whole in reader.blocks():
            block = changed(whole)
            if not block.steps:
                continue
            if pipeline.ensemble is None:
                started = process_time()
                pipeline.start(reader.encoder.classes or (), block.rows.columns, reader.thresholds)
                loading = process_time() - started
            for start in range(0, block.steps, _STEPS_AT_ONCE):
                stop = min(start + _STEPS_AT_ONCE, block.steps)
                results, _ = pipeline.run(block.cut(start, stop))
                assert results is not None  # no label comes late here
                tally = tally or _Tally(results)
                tally.add(results)
        cpu = process_time() - began - loading
        found = {} if tally is None else tally.document()
    finally:
        pipeline.finish()
        reader.close()
    return found | {
        "cpu": cpu,
        "path": pipeline.path,
        "rejected": rejections.count,
        "unanswered": pipeline.unanswered,
        "classes": list(pipeline.classes),
        "remarks": remarks,
    }


class _Tally:
    """Counts over the steps so far."""

    def __init__(self, first: Steps) -> None:
        self.names = first.names
        self.lengths: list[Ints] = []
        self.times: list[Ints] = []
        self.wrong: list[Ints] = []
        self.subroutines: list[Ints] = []
        self.effort: list[Ints] = []

    def add(self, results: Steps) -> None:
        self.lengths.append(results.lengths.astype(np.int64))
        self.wrong.append(results.wrong.astype(np.int64))
        self.subroutines.append(results.subroutines.astype(np.int64))
        # a step compares with all that there were before it, and teaches those that are close
        compared = results.subroutines.astype(np.int64) - results.born
        self.effort.append(compared + results.close)
        if results.first_times is not None:
            self.times.append(results.first_times)

    def document(self) -> dict[str, Any]:
        lengths, wrong = np.concatenate(self.lengths), np.concatenate(self.wrong, axis=1)
        subroutines = np.concatenate(self.subroutines, axis=1)
        effort = np.cumsum(np.concatenate(self.effort, axis=1), axis=1)
        series, members = self.names.series, self.names.members
        sums = wrong.sum(axis=1).tolist()
        return {
            "rows": int(lengths.sum()),
            "steps": len(lengths),
            "wrong": dict(zip(series, sums, strict=False)),
            "members": [
                {
                    "threshold": None if member.is_marginal else member.threshold,
                    "wrong": sums[len(series) + k],
                    "subroutines": int(subroutines[k, -1]),
                    "cost": _cost(subroutines[k], effort[k]),
                }
                for k, member in enumerate(members)
            ],
            "days": self._days(lengths, wrong),
        }

    def _days(self, lengths: Ints, wrong: Ints) -> dict[str, list[int]] | None:
        """Rows and wrong rows by day; None for a stream without times."""
        if not self.times:
            return None
        found, day = np.unique(np.concatenate(self.times) // _DAY, return_inverse=True)
        names = [*self.names.series, *(f"t{k}" for k in range(len(self.names.members)))]
        summed = {
            name: np.bincount(day, weights=line, minlength=len(found)).astype(np.int64).tolist()
            for name, line in zip(["rows", *names], [lengths, *wrong], strict=True)
        }
        return {"day": found.tolist()} | summed


def _cost(subroutines: Ints, effort: Ints) -> list[list[int]]:
    """At several moments: steps so far, subroutines, comparisons and updates so far."""
    steps = len(subroutines)
    marks = np.unique(np.maximum(steps * np.arange(1, MARKS + 1) // MARKS, 1))
    return [[int(n), int(subroutines[n - 1]), int(effort[n - 1])] for n in marks]
