"""Predictions for the open step of a live feed."""

from __future__ import annotations

from time import monotonic

import numpy as np

from macro_engine.algorithm.ensemble import Ensemble, OpenStep
from macro_engine.algorithm.open_predictions import OpenPredictions
from macro_engine.core.rows import Ints, Rows

_REST = 20  # times what a look ahead costs, until the next one


class OpenStepTracker:
    """Keeps what everyone says of the open step's rows so far.

    Attributes
    ----------
    labels, predictions
        Class indices of the rows predicted so far: by rows, and by series and rows, where the
        series are the strategies and then the thresholds.
    """

    def __init__(self, ensemble: Ensemble, labels_are_late: bool = False) -> None:
        self.labels_are_late = labels_are_late
        self.ensemble = ensemble
        self.names = ensemble.names
        self.step: int | None = None
        self.choice: OpenStep | None = None
        self.next_look = 0.0
        self.labels: Ints = np.empty(0, np.int64)
        self.predictions: Ints = np.empty((self.names.predictors, 0), np.int64)

    def look(self, step: int, rows: Rows) -> OpenPredictions | None:
        """Predicts the new rows of the open step; the steps before it have run.

        Returns what is said of those that are new.
        """
        if step != self.step:
            self._forget()
            if not len(rows) or not self._choose():
                return None
            self.step = step
        known = len(self.labels)
        if self.choice is None or len(rows) == known:
            return None
        fresh = rows.cut(known, len(rows))
        # a model may fail: then nothing was seen of these rows
        said = self.choice.predict(fresh)
        self.labels = np.concatenate([self.labels, fresh.labels])
        self.predictions = np.hstack([self.predictions, said.predictions])
        return said

    def errors(self) -> dict[str, float]:
        """The share of rows that each strategy got wrong."""
        if not len(self.labels) or self.labels_are_late:
            return {}
        series = self.names.series
        wrong = (self.predictions[: len(series)] != self.labels).mean(axis=1)
        return dict(zip(series, wrong.tolist(), strict=True))

    def newest(self, titles: tuple[str, ...]) -> dict[str, str]:
        """The label of the newest row, and what each strategy said of it."""
        if not len(self.labels) or self.labels_are_late:
            return {}
        series = self.names.series
        said = [self.labels[-1], *self.predictions[: len(series), -1]]
        names = ("label", *series)
        return {name: titles[index] for name, index in zip(names, said, strict=True)}

    def close(self) -> None:
        if self.choice is not None:
            self.choice.finish()
            self.choice = None

    def _choose(self) -> bool:
        """Choose for the open step, unless that would cost too much of the time."""
        started = monotonic()
        if started < self.next_look:
            return False
        self.choice = self.ensemble.look_ahead()
        self.next_look = started + _REST * (monotonic() - started)
        return True

    def _forget(self) -> None:
        self.close()
        self.step = None
        self.labels = np.empty(0, np.int64)
        self.predictions = np.empty((self.names.predictors, 0), np.int64)
