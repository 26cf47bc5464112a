"""What the compiled family remembers, as arrays without spare room, and back.

The loops check no bounds: every number in a state by which they find their way is checked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from macro_engine.algorithm.kernels import arrays
from macro_engine.core.rows import Columns
from macro_engine.core.state import (
    DamagedError,
    State,
    array,
    boundaries,
    child,
    children,
    indices,
    whole,
)
from macro_engine.subroutines.base import restored_widths

if TYPE_CHECKING:
    from macro_engine.algorithm.compiled_family import CompiledFamily


def state_of(family: CompiledFamily) -> State:
    subroutines, bank = family.subroutines, family.bank
    most, places = int(subroutines.used.max()), int(bank.used[0])
    return {
        "step": family.step,
        "widths": list(family.widths),
        "completed": {
            "starts": family.completed_starts,
            "numbers": family.completed_numbers,
            "labels": family.completed_labels,
            "label_counts": family.label_counts.copy(),
        },
        "references": [
            _state_of_references(arrays.References._make(values[h] for values in family.references))
            for h in range(len(family.rules.histories))
        ],
        "subroutines": {
            "used": subroutines.used.copy(),
            "reference": subroutines.reference[:, :most].copy(),
            "place": subroutines.place[:, :most].copy(),
            "updates": subroutines.updates[:, :most].copy(),
        },
        "bank": {
            "weights": bank.weights[:places].copy(),
            "intercepts": bank.intercepts[:places].copy(),
            "counts": bank.counts[:places].copy(),
        },
    }


def _state_of_references(kept: arrays.References) -> State:
    """The references of one history."""
    n = int(kept.used)
    return {
        "empty": kept.empty[:n].copy(),
        "largest": kept.largest[:n].copy(),
        "shares": kept.shares[:n].copy(),
        "starts": kept.starts[: n + 1].copy(),
        "columns": kept.columns[:, :, : int(kept.starts[n].max())].copy(),
        "lengths": kept.lengths[:n].copy(),
        "frames": kept.frames[: int(kept.lengths[:n].max(initial=0)), :, :n].copy(),
    }


def restore(family: CompiledFamily, state: State, columns: Columns) -> None:
    classes, d = family.shape.classes, family.shape.columns
    family.step = whole(state, "step")
    completed = child(state, "completed")
    family.completed_labels = indices(completed, "labels", (None,), classes)
    n = len(family.completed_labels)
    family.completed_starts = boundaries(completed, "starts", n)
    family.completed_numbers = array(completed, "numbers", np.float64, (n, d))
    family.label_counts = indices(completed, "label_counts", (classes,), 1 << 62)
    histories = len(family.rules.histories)
    family.references = _references(family, children(state, "references", histories))
    family.widths = restored_widths(state, columns)
    if not family.widths:
        raise DamagedError("in its state the widths of the learners are missing")
    family.bank = _bank(family, child(state, "bank"))
    family.subroutines = _subroutines(family, child(state, "subroutines"))


def _references(family: CompiledFamily, states: list[State]) -> arrays.References:
    """The references of all histories, side by side in arrays of the same size."""
    found = [_references_of_history(family, state) for state in states]
    size = _with_room(max(int(kept.used) for kept in found))
    rows = _with_room(max(kept.columns.shape[2] for kept in found))
    positions = max(len(kept.frames) for kept in found)
    return arrays.References(
        used=np.array([kept.used for kept in found]),
        empty=np.array([_padded(kept.empty, size) for kept in found]),
        largest=np.array([_padded(kept.largest, size) for kept in found]),
        shares=np.array([_padded(kept.shares, size) for kept in found]),
        starts=np.array([_padded(kept.starts, size + 1) for kept in found]),
        columns=np.array([_padded(kept.columns, rows, axis=2) for kept in found]),
        lengths=np.array([_padded(kept.lengths, size) for kept in found]),
        frames=np.array([_padded(_padded(kept.frames, positions), size, axis=2) for kept in found]),
    )


def _references_of_history(family: CompiledFamily, state: State) -> arrays.References:
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
    return arrays.References(
        used=np.array(n),
        empty=empty,
        largest=indices(state, "largest", (n,), family.lines),
        shares=array(state, "shares", np.float64, (n, classes)),
        starts=starts,
        columns=columns,
        lengths=lengths,
        frames=frames,
    )


def _bank(family: CompiledFamily, state: State) -> arrays.Bank:
    now = family.bank
    models = now.intercepts.shape[1]
    weights = array(state, "weights", np.float64, (None, models, sum(family.widths)))
    n = len(weights)
    size = _with_room(n + family.lines)
    counts = indices(state, "counts", (n, now.counts.shape[1]), 1 << 62)
    return arrays.Bank(
        used=np.array([n]),
        weights=_padded(weights, size),
        intercepts=_padded(array(state, "intercepts", np.float64, (n, models)), size),
        counts=_padded(counts, size),
        rates=now.rates,
    )


def _subroutines(family: CompiledFamily, state: State) -> arrays.Subroutines:
    used = array(state, "used", np.int64, (family.lines,))
    n = int(used.max())
    shape = (family.lines, n)
    most = np.maximum(family.references.used[family.rules.history_of], 1)
    reference = indices(state, "reference", shape, int(most.max()))
    if (reference >= most[:, None]).any():
        raise DamagedError("in its state a reference is out of range")
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
