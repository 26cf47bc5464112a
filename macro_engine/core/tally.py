"""Sums over rows from which metrics are computed; they can be added and subtracted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.names import Names
from macro_engine.core.rows import Counts, Floats, Ints

LEAST = 1e-6  # a smaller probability counts as this one in the log loss


@dataclass(frozen=True, eq=False)
class Tally:
    """The sums of one stretch of rows, or of several side by side.

    Attributes
    ----------
    sums
        Numbers, or numbers by stretches, in the order of the properties; NaN if unknown.
    """

    names: Names
    sums: Floats

    @property
    def labels(self) -> Floats:
        """The number of rows of each class."""
        return self.sums[: self.names.classes]

    @property
    def predicted(self) -> Floats:
        """Series by classes: rows for which each was predicted."""
        return self._by_series(0)

    @property
    def hits(self) -> Floats:
        """Series by classes: rows for which each was predicted, and is the label."""
        return self._by_series(1)

    @property
    def log_loss(self) -> Floats:
        """The summed log loss of each series; NaN for a series without probabilities."""
        return self.sums[len(self.sums) - len(self.names.series) :]

    def __sub__(self, earlier: Tally) -> Tally:
        return Tally(self.names, self.sums - earlier.sums)

    def _by_series(self, which: int) -> Floats:
        series, classes = len(self.names.series), self.names.classes
        start = classes + which * series * classes
        shape = series, classes, *self.sums.shape[1:]
        return self.sums[start : start + series * classes].reshape(shape)


def numbers(names: Names) -> int:
    """The number of values in a tally."""
    return names.classes + len(names.series) * (2 * names.classes + 1)


def tallied(
    names: Names,
    labels: Counts,
    predictions: Counts,
    probabilities: NDArray[np.float32] | None,
    ends: Ints,
    before: Floats,
) -> Floats:
    """The sums after some numbers of rows, which rise, given the sums before the first row.

    Log losses are added one row after the other, so that it does not matter how rows are cut
    into blocks.
    """
    classes, series = names.classes, len(names.series)
    stop = int(ends[-1]) if len(ends) else 0
    labels = labels[:stop]
    lines = [labels, *predictions[:series, :stop]]
    if len(ends) == 1:
        pairs = np.array([count_pairs(labels, said, classes) for said in lines])[:, None]
        said, hits = pairs.sum(axis=2), pairs[1:].diagonal(axis1=2, axis2=3)
    else:
        said, hits = _by_stretches(labels, lines, classes, ends)
    sums = np.empty((len(before), len(ends)))
    by_class = sums[:-series]
    by_class[:] = np.concatenate([said, hits]).transpose(0, 2, 1).reshape(by_class.shape)
    by_class += before[:-series, None]
    if probabilities is None:
        sums[-series:] = np.where(ends > 0, np.nan, before[-series:, None])
    else:
        given = probabilities[:, np.arange(stop), labels].astype(np.float64)
        losses = -np.log(np.maximum(given, LEAST))
        losses = np.concatenate([before[-series:, None], losses], axis=1)
        sums[-series:] = np.cumsum(losses, axis=1)[:, ends]
    return sums


def count_pairs(labels: Counts, predictions: Counts, classes: int) -> Ints:
    """Labels by predictions: rows of each pair of classes."""
    if classes == 2 and labels.dtype == predictions.dtype == np.uint8:
        are, said = labels.view(np.bool_), predictions.view(np.bool_)
        labelled, predicted = np.count_nonzero(are), np.count_nonzero(said)
        both = np.count_nonzero(are & said)
        neither = len(are) - labelled - predicted + both
        return np.array([[neither, predicted - both], [labelled - both, both]])
    cells = np.multiply(labels, classes, dtype=np.int64)
    cells += predictions
    return np.bincount(cells, minlength=classes**2).reshape(classes, classes)


def _by_stretches(
    labels: Counts, lines: list[Counts], classes: int, ends: Ints
) -> tuple[Ints, Ints]:
    """Lines by ends by classes: rows for which each was said; and hits, but for the first line."""
    width = 2 * classes * len(ends)
    stretches = 2 * classes * np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
    counts = np.empty((len(lines), width), np.int64)
    for k, said in enumerate(lines):
        cells = np.multiply(said, 2, dtype=np.int64)  # a class, missed or hit
        cells += said == labels
        cells += stretches
        counts[k] = np.bincount(cells, minlength=width)
    summed = counts.reshape(len(lines), len(ends), classes, 2).cumsum(axis=1)
    return summed.sum(axis=3), summed[1:, ..., 1]
