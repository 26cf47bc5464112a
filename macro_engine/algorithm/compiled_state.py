"""What the compiled family remembers, as arrays without spare room, and back.

The loops check no bounds: every number in a state by which they find their way is checked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from macro_engine.algorithm.kernels import arrays
from macro_engine.rows import Columns
from macro_engine.state import DamagedError, State, array, boundaries, child, indices, whole
from macro_engine.subroutines.base import restored_widths

if TYPE_CHECKING:
    from macro_engine.algorithm.compiled import CompiledFamily


def state_of(family: CompiledFamily) -> State:
    kept, subroutines, bank = family.references, family.subroutines, family.bank
    n, most, places = int(kept.used[0]), int(subroutines.used.max()), int(bank.used[0])
    return {
        "step": family.step,
        "widths": list(family.widths),
        "past": {
            "starts": family.past_starts,
            "numbers": family.past_numbers,
            "labels": family.past_labels,
            "label_counts": family.label_counts.copy(),
        },
        "references": {
            "empty": kept.empty[:n].copy(),
            "largest": kept.largest[:n].copy(),
            "shares": kept.shares[:n].copy(),
            "starts": kept.starts[: n + 1].copy(),
            "columns": kept.columns[:, :, : int(kept.starts[n].max())].copy(),
            "lengths": kept.lengths[:n].copy(),
            "frames": kept.frames[: int(kept.lengths[:n].max(initial=0)), :, :n].copy(),
        },
        "subroutines": {
            "used": subroutines.used.copy(),
            "reference": subroutines.reference[:, :most].copy(),
            "place": subroutines.place[:, :most].copy(),
            "updates": subroutines.updates[:, :most].copy(),
        },
        "bank": {
            "weights": bank.weights[:places].copy(),
            "intercepts": bank.intercepts[:places].copy(),
            "learnt": bank.learnt[:places].copy(),
        },
    }


def restore(family: CompiledFamily, state: State, columns: Columns) -> None:
    classes, d = family.shape.classes, family.shape.columns
    family.step = whole(state, "step")
    past = child(state, "past")
    family.past_labels = indices(past, "labels", (None,), classes)
    n = len(family.past_labels)
    family.past_starts = boundaries(past, "starts", n)
    family.past_numbers = array(past, "numbers", np.float64, (n, d))
    family.label_counts = indices(past, "label_counts", (classes,), 1 << 62)
    family.references = _references(family, child(state, "references"))
    family.widths = restored_widths(state, columns)
    if not family.widths:
        raise DamagedError("in its state the widths of the learners are missing")
    family.bank = _bank(family, child(state, "bank"))
    family.subroutines = _subroutines(family, child(state, "subroutines"))


def _references(family: CompiledFamily, state: State) -> arrays.References:
    classes, d = family.shape.classes, family.shape.columns
    empty = array(state, "empty", np.bool_, (None,))
    n = len(empty)
    starts = array(state, "starts", np.int64, (n + 1, classes))
    columns = array(state, "columns", np.float64, (classes, d, None))
    if (starts[0] != 0).any() or (np.diff(starts, axis=0) < 0).any():
        raise DamagedError("in its state the rows of the references do not follow each other")
    frames = array(state, "frames", np.float64, (None, d, n))
    lengths = indices(state, "lengths", (n,), len(frames) + 1)
    if len(frames) != lengths.max(initial=0) or columns.shape[2] != starts.max():
        raise DamagedError("in its state the rows of the references do not add up")
    size = _with_room(n)
    return arrays.References(
        used=np.array([n]),
        empty=_padded(empty, size),
        largest=_padded(indices(state, "largest", (n,), family.members), size),
        shares=_padded(array(state, "shares", np.float64, (n, classes)), size),
        starts=_padded(starts, size + 1),
        columns=_padded(columns, _with_room(columns.shape[2]), axis=2),
        lengths=_padded(lengths, size),
        frames=_padded(frames, size, axis=2),
    )


def _bank(family: CompiledFamily, state: State) -> arrays.Bank:
    now = family.bank
    models = now.intercepts.shape[1]
    weights = array(state, "weights", np.float64, (None, models, sum(family.widths)))
    n = len(weights)
    size = _with_room(n + family.members)
    learnt = indices(state, "learnt", (n, now.learnt.shape[1]), 1 << 62)
    return arrays.Bank(
        used=np.array([n]),
        weights=_padded(weights, size),
        intercepts=_padded(array(state, "intercepts", np.float64, (n, models)), size),
        learnt=_padded(learnt, size),
        rates=now.rates,
    )


def _subroutines(family: CompiledFamily, state: State) -> arrays.Subroutines:
    used = array(state, "used", np.int64, (family.members,))
    n = int(used.max())
    shape = (family.members, n)
    reference = indices(state, "reference", shape, max(family.reference_count, 1))
    place = indices(state, "place", shape, max(int(family.bank.used[0]), 1))
    if used.min() < 0 or int(used.sum()) != int(family.bank.used[0]):
        raise DamagedError("in its state the number of subroutines does not add up")
    size = _with_room(n)
    return arrays.Subroutines(
        used=used,
        reference=_padded(reference, size, axis=1),
        place=_padded(place, size, axis=1),
        updates=_padded(array(state, "updates", np.int64, shape), size, axis=1),
    )


def _with_room(count: int) -> int:
    return max(16, 1 << count.bit_length())


def _padded(values: NDArray[Any], size: int, axis: int = 0) -> NDArray[Any]:
    shape = list(values.shape)
    shape[axis] = size - shape[axis]
    return np.concatenate([values, np.zeros(shape, values.dtype)], axis=axis)
