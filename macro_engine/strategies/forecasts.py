"""What a strategy is given: what members and baselines say of rows, and later the labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.rows import Bools, Counts, Floats, Ints, Rows, joined


@dataclass(frozen=True, eq=False)
class Forecasts:
    """What members and baselines say of the rows of whole steps.

    Attributes
    ----------
    rows
        The encoded rows. Their labels mean nothing here.
    starts
        Where each step begins in `rows`, and at the end the number of rows.
    first_step
        The number of the first step, from 0 for the whole stream.
    members, marginal, no_change
        Class indices: members by rows, and by rows.
    member_probabilities, marginal_probabilities, no_change_probabilities
        The same by classes, with sum 1; None in a run that computes none.
    """

    rows: Rows
    starts: Ints
    first_step: int
    members: Counts
    marginal: Counts
    no_change: Counts
    member_probabilities: Floats | None = None
    marginal_probabilities: Floats | None = None
    no_change_probabilities: Floats | None = None

    @property
    def steps(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Ints:
        return np.diff(self.starts)

    def step(self, s: int) -> Forecasts:
        """One of the steps, counted from 0 here."""
        return self.cut(s, s + 1)

    def cut(self, start: int, stop: int) -> Forecasts:
        """Some of the steps, counted from 0 here."""
        a, b = int(self.starts[start]), int(self.starts[stop])
        return Forecasts(
            self.rows.cut(a, b),
            self.starts[start : stop + 1] - a,
            self.first_step + start,
            self.members[:, a:b],
            self.marginal[a:b],
            self.no_change[a:b],
            None if self.member_probabilities is None else self.member_probabilities[:, a:b],
            None if self.marginal_probabilities is None else self.marginal_probabilities[a:b],
            None if self.no_change_probabilities is None else self.no_change_probabilities[a:b],
        )

    def read_only(self) -> Forecasts:
        """The same, for code that might write into it: that raises an error."""
        return replace(_read_only(self), rows=_read_only(self.rows))

    @staticmethod
    def join(parts: Sequence[Forecasts]) -> Forecasts:
        """Steps that follow each other, as one."""
        if len(parts) == 1:
            return parts[0]
        last = parts[-1]
        return Forecasts(
            Rows.join([part.rows for part in parts], last.rows.columns),
            np.concatenate([[0], np.cumsum(np.concatenate([part.lengths for part in parts]))]),
            parts[0].first_step,
            np.concatenate([part.members for part in parts], axis=1),
            np.concatenate([part.marginal for part in parts]),
            np.concatenate([part.no_change for part in parts]),
            joined([part.member_probabilities for part in parts], 1),
            joined([part.marginal_probabilities for part in parts], 0),
            joined([part.no_change_probabilities for part in parts], 0),
        )


class Completion:
    """Steps that are complete: what was said of their rows, and the labels.

    Parameters
    ----------
    labels
        Class indices by rows; -1 for a label that never came.

    Attributes
    ----------
    wrong, labelled
        Members by steps: the labelled rows that each got wrong; and by steps: all of them.
    losses
        Steps by members: the share of the labelled rows that each got wrong, 0 where there are
        none.
    """

    def __init__(self, forecasts: Forecasts, labels: Ints) -> None:
        self.forecasts = forecasts
        self.labels = labels

    @cached_property
    def wrong(self) -> Ints:
        return count_wrong(self.forecasts.members, self.labels, self.forecasts.starts)

    @cached_property
    def labelled(self) -> Ints:
        return count_true(self.labels >= 0, self.forecasts.starts)

    @cached_property
    def losses(self) -> Floats:
        return np.ascontiguousarray((self.wrong / np.maximum(self.labelled, 1)).T)

    def step(self, s: int) -> Completion:
        """One of the steps, counted from 0 here."""
        starts = self.forecasts.starts
        step = Completion(self.forecasts.step(s), self.labels[starts[s] : starts[s + 1]])
        step.losses = self.losses[s : s + 1]  # which are counted for all steps at once
        return step

    def read_only(self) -> Completion:
        """The same, for code that might write into it: that raises an error."""
        return Completion(self.forecasts.read_only(), _view(self.labels))


def count_wrong(predictions: Counts, labels: Ints, starts: Ints) -> Ints:
    """How many labelled rows of each step each line of predictions got wrong."""
    wrong = predictions != labels.astype(predictions.dtype)  # of one type they compare faster
    return count_true(wrong & (labels >= 0), starts)


def count_true(flags: Bools, starts: Ints) -> Ints:
    """How many are true in each step; the last axis runs along rows."""
    before = np.zeros((*flags.shape[:-1], flags.shape[-1] + 1), np.int32)
    np.cumsum(flags.view(np.int8), axis=-1, dtype=np.int32, out=before[..., 1:])
    return np.diff(before.take(starts, axis=-1)).astype(np.int64)


_Arrays = TypeVar("_Arrays", Forecasts, Rows)


def _read_only(arrays: _Arrays) -> _Arrays:
    values = ((field.name, getattr(arrays, field.name)) for field in fields(arrays))
    views: dict[str, Any] = {n: _view(v) for n, v in values if isinstance(v, np.ndarray)}
    return replace(arrays, **views)


def _view(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view
