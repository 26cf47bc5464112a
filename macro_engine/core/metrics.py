"""Metrics of classifiers, as functions of a `Tally`.

Each gives a value for every series, or series by stretches of rows; NaN where it is undefined:
no rows, no row of the class, a class that was never predicted, no probabilities.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from macro_engine.core.rows import Floats
from macro_engine.core.tally import Tally

Values: TypeAlias = dict[str, dict[str, float | None]]


def error(tally: Tally, _class: int) -> Floats:
    """The share of rows predicted wrong."""
    rows = tally.labels.sum(axis=0)
    return _ratio(rows - tally.hits.sum(axis=1), rows)


def log_loss(tally: Tally, _class: int) -> Floats:
    """The mean of -log p(label), with p at least 1e-6."""
    return np.maximum(_ratio(tally.log_loss, tally.labels.sum(axis=0)), 0.0)


def balanced_accuracy(tally: Tally, _class: int) -> Floats:
    """The mean recall over the classes that have rows."""
    recalls = _ratio(tally.hits, tally.labels)
    defined = np.isfinite(recalls)
    return _ratio(np.where(defined, recalls, 0.0).sum(axis=1), defined.sum(axis=1))


def precision(tally: Tally, of: int) -> Floats:
    """The share of rows predicted to be of a class that are."""
    return _ratio(tally.hits[:, of], tally.predicted[:, of])


def recall(tally: Tally, of: int) -> Floats:
    """The share of rows of a class that were predicted to be."""
    return _ratio(tally.hits[:, of], tally.labels[of])


def f1(tally: Tally, of: int) -> Floats:
    """The harmonic mean of precision and recall; 0 where no row of the class was predicted so."""
    return _ratio(2 * tally.hits[:, of], tally.predicted[:, of] + tally.labels[of])


def _ratio(part: Floats, whole: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio: Floats = np.where(whole > 0, part / whole, np.nan)
    return ratio


@dataclass(frozen=True)
class Metric:
    """A metric.

    Attributes
    ----------
    of
        Its value, given a class, which some metrics ignore.
    is_share
        Whether it is shown in %.
    """

    name: str
    title: str
    of: Callable[[Tally, int], Floats]
    higher_is_better: bool = True
    is_share: bool = True
    is_of_class: bool = False
    wants_probabilities: bool = False


METRICS = {
    metric.name: metric
    for metric in (
        Metric("error", "error", error, higher_is_better=False),
        Metric(
            "logloss",
            "log loss",
            log_loss,
            higher_is_better=False,
            is_share=False,
            wants_probabilities=True,
        ),
        Metric("balanced", "balanced accuracy", balanced_accuracy),
        Metric("precision", "precision", precision, is_of_class=True),
        Metric("recall", "recall", recall, is_of_class=True),
        Metric("f1", "F1", f1, is_of_class=True),
    )
}


def rarest(labels: Floats) -> int:
    """The class with the fewest rows among those that have any; the last on ties.

    >>> rarest(np.array([90.0, 10.0, 0.0])), rarest(np.array([5.0, 5.0]))
    (1, 1)
    """
    counts = np.where(labels > 0, labels, np.inf)[::-1]
    return len(labels) - 1 - int(counts.argmin())


def measured(tally: Tally, of: int) -> Values:
    """Every metric of every series of one stretch; None where it is undefined."""
    lines = {name: metric.of(tally, of) for name, metric in METRICS.items()}
    return {
        series: {
            name: float(values[i]) if np.isfinite(values[i]) else None
            for name, values in lines.items()
        }
        for i, series in enumerate(tally.names.series)
    }
