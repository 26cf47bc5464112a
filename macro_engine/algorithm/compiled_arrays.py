"""Allocation and growth of the arrays of the compiled family."""

from __future__ import annotations

from typing import Any

import numpy as np

from macro_engine.algorithm.kernels.arrays import (
    Bank,
    KernelSettings,
    PresentHistory,
    References,
    Subroutines,
)
from macro_engine.algorithm.kernels.histories import SIDE_BY_SIDE
from macro_engine.algorithm.kernels.smallest import SMALL
from macro_engine.core.rows import Floats
from macro_engine.core.steps import NEAREST
from macro_engine.subroutines.base import widened

_ROOM = 1 << 27  # bytes that weights may take before they are copied into a larger bank
_MOST_PLACES = 1 << 14  # for which there is room at the start


def empty_references(histories: int, classes: int, columns: int) -> References:
    return References(
        used=np.zeros(histories, np.int64),
        empty=np.zeros((histories, 16), np.bool_),
        largest=np.zeros((histories, 16), np.int64),
        shares=np.zeros((histories, classes, 16)),
        starts=np.zeros((histories, 17, classes), np.int64),
        columns=np.zeros((histories, classes, columns, 256)),
        lengths=np.zeros((histories, 16), np.int64),
        frames=np.zeros((histories, 0, columns, 16)),
    )


def empty_subroutines(members: int) -> Subroutines:
    return Subroutines(
        used=np.zeros(members, np.int64),
        reference=np.zeros((members, 16), np.int64),
        place=np.zeros((members, 16), np.int64),
        updates=np.zeros((members, 16), np.int64),
    )


def empty_bank(lines: int, logistic: bool, classes: int, columns: int) -> Bank:
    """With much room at once: it takes no memory before it is written to, but copying it does."""
    models = classes if not logistic or classes > 2 else 1
    places = max(4 * lines, min(_MOST_PLACES, _ROOM // max(8 * columns * models, 1)))
    return Bank(
        used=np.zeros(1, np.int64),
        weights=np.zeros((places, columns * models)),
        intercepts=np.zeros((places, models)),
        counts=np.zeros((places, 1 if logistic else classes), np.int64),
        rates=np.empty(0),
    )


def room_for_a_step(
    settings: KernelSettings, classes: int, longest: int, references: References, bank: Bank
) -> PresentHistory:
    """Room for one step at a time, whose histories have at most so many rows (for features)."""
    used, (histories, n) = references.used, references.empty.shape
    members, d = len(settings.thresholds), references.columns.shape[2]
    widest = SIDE_BY_SIDE
    if longest:
        kept = [np.diff(references.starts[h, : n + 1], axis=0) for h, n in enumerate(used)]
        widest = max(1024, longest, *(int(rows.max(initial=0)) for rows in kept))
    return PresentHistory(
        counts=np.zeros(classes, np.int64),
        shares=np.zeros(classes),
        starts=np.zeros(classes + 1, np.int64),
        rows=np.empty((longest, d)),
        frames=np.empty((references.frames.shape[1], d)),
        distances=np.empty((histories, n)),
        reach=np.empty(n),
        counted=np.ones((histories, n), np.int64),
        squares=np.empty((classes, longest, widest)),
        least=np.empty(widest),
        smallest=np.empty(max(longest * widest, SMALL)),
        limits=np.empty(members),
        chosen=np.empty(members, np.int64),
        born=np.empty(members, np.bool_),
        forced=np.empty(members, np.bool_),
        nearest=np.empty(NEAREST, np.int64),
        nearest_distances=np.empty(NEAREST),
        predicting=np.empty(members, np.int64),
        learning=np.empty(len(bank.counts), np.int64),
        totals=np.empty(classes),
        margins=np.empty(bank.intercepts.shape),
    )


def grown_references(kept: References, rows: int) -> References:
    """With twice the room where one more reference, of so many rows, may not fit."""
    if int(kept.used.max()) == kept.empty.shape[1]:
        more_starts = np.zeros_like(kept.starts[:, 1:])
        kept = kept._replace(
            empty=_doubled(kept.empty, 1),
            largest=_doubled(kept.largest, 1),
            shares=_doubled(kept.shares, 2),
            starts=np.concatenate([kept.starts, more_starts], axis=1),
            lengths=_doubled(kept.lengths, 1),
            frames=_doubled(kept.frames, 3),
        )
    filled = max(int(kept.starts[h, n].max()) for h, n in enumerate(kept.used))
    if rows and filled + rows > kept.columns.shape[3]:
        kept = kept._replace(columns=_doubled(kept.columns, 3))
    return kept


def grown_subroutines(subroutines: Subroutines) -> Subroutines:
    """With twice the room where a member has no more."""
    if subroutines.used.max() < subroutines.reference.shape[1]:
        return subroutines
    return subroutines._replace(
        reference=_doubled(subroutines.reference, 1),
        place=_doubled(subroutines.place, 1),
        updates=_doubled(subroutines.updates, 1),
    )


def widened_bank(bank: Bank, before: list[int], after: list[int]) -> Bank:
    """With zeros for the columns that have appeared since."""
    models = bank.intercepts.shape[1]
    widths = [models * width for width in before], [models * width for width in after]
    used = widened(bank.weights[: int(bank.used[0])], *widths)
    weights = np.zeros((len(bank.weights), models * sum(after)))
    weights[: len(used)] = used
    return bank._replace(weights=weights)


def by_models(weights: Floats, models: int) -> Floats:
    """A copy of weights, or means, as places by models by columns."""
    apart = weights.reshape(len(weights), weights.shape[1] // models, models)
    return apart.swapaxes(1, 2).copy()


def by_columns(weights: Floats) -> Floats:
    """As a bank has them, from places by models by columns."""
    places, models, columns = weights.shape
    return np.ascontiguousarray(weights.swapaxes(1, 2)).reshape(places, columns * models)


def grown_bank(bank: Bank, births: int) -> Bank:
    """With twice the room where so many births may not fit."""
    if int(bank.used[0]) + births <= len(bank.counts):
        return bank
    return bank._replace(
        weights=_doubled(bank.weights, 0),
        intercepts=_doubled(bank.intercepts, 0),
        counts=_doubled(bank.counts, 0),
    )


def _doubled(values: Any, axis: int) -> Any:
    shape = list(values.shape)
    shape[axis] *= 2
    room = np.zeros(shape, values.dtype)  # takes no memory before it is written to
    room[(slice(None),) * axis + (slice(values.shape[axis]),)] = values
    return room
