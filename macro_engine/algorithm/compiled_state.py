"""Stores and restores the state of the compiled family, as arrays without spare capacity.

The loops check no bounds: every number in a state by which they find their way is checked here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from macro_engine.algorithm.compiled_arrays import by_columns, by_models
from macro_engine.algorithm.kernels import arrays
from macro_engine.core.declared import Array, Declared
from macro_engine.core.rows import Columns
from macro_engine.core.state import DamagedError, State, boundaries, child, children, whole
from macro_engine.subroutines.base import Widths

if TYPE_CHECKING:
    from macro_engine.algorithm.compiled_family import CompiledFamily

_WIDTHS = Widths("widths")
_COMPLETED = Declared(
    Array("labels", np.int64, ("rows",), low=0, below="classes"),
    Array("numbers", np.float64, ("rows", "columns")),
    Array("label_counts", np.int64, ("classes",), low=0),
)
_REFERENCES = Declared(
    Array("empty", np.bool_, ("references",)),
    Array("largest", np.int64, ("references",), low=0, below="lines"),
    Array("shares", np.float64, ("references", "classes")),
    Array("starts", np.int64, (None, "classes")),
    Array("columns", np.float64, ("classes", "columns", None)),
    Array("lengths", np.int64, ("references",), low=0),
    Array("frames", np.float64, (None, "columns", "references")),
)
_BANK = Declared(
    Array("weights", np.float64, ("places", "models", "columns")),
    Array("intercepts", np.float64, ("places", "models")),
    Array("counts", np.int64, ("places", "counted"), low=0),
)
_SUBROUTINES = Declared(
    Array("used", np.int64, ("lines",), low=0),
    Array("reference", np.int64, ("lines", "most"), low=0),
    Array("place", np.int64, ("lines", "most"), low=0, below="places"),
    Array("updates", np.int64, ("lines", "most")),
)


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
            for h in range(len(family.settings.histories))
        ],
        "subroutines": {
            "used": subroutines.used.copy(),
            "reference": subroutines.reference[:, :most].copy(),
            "place": subroutines.place[:, :most].copy(),
            "updates": subroutines.updates[:, :most].copy(),
        },
        "bank": {
            "weights": by_models(bank.weights[:places], bank.intercepts.shape[1]),
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
        "shares": kept.shares[:, :n].T.copy(),
        "starts": kept.starts[: n + 1].copy(),
        "columns": kept.columns[:, :, : int(kept.starts[n].max())].copy(),
        "lengths": kept.lengths[:n].copy(),
        "frames": kept.frames[: int(kept.lengths[:n].max(initial=0)), :, :n].copy(),
    }


def restore(family: CompiledFamily, state: State, columns: Columns) -> None:
    classes = family.shape.classes
    family.step = whole(state, "step")
    completed = _COMPLETED.read(
        child(state, "completed"), classes=classes, columns=family.widths[0]
    )
    family.completed_labels = completed["labels"]
    family.completed_numbers = completed["numbers"]
    family.label_counts = completed["label_counts"]
    family.completed_starts = boundaries(state["completed"], "starts", len(completed["labels"]))
    histories = len(family.settings.histories)
    family.references = _references(family, children(state, "references", histories))
    family.widths = _WIDTHS.taken(state, {})
    _WIDTHS.check(family.widths, columns)
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
        shares=np.array([_padded(kept.shares.T, size, axis=1) for kept in found]),
        starts=np.array([_padded(kept.starts, size + 1) for kept in found]),
        columns=np.array([_padded(kept.columns, rows, axis=2) for kept in found]),
        lengths=np.array([_padded(kept.lengths, size) for kept in found]),
        frames=np.array([_padded(_padded(kept.frames, positions), size, axis=2) for kept in found]),
    )


def _references_of_history(family: CompiledFamily, state: State) -> arrays.References:
    values = _REFERENCES.read(
        state, classes=family.shape.classes, columns=family.shape.columns, lines=family.lines
    )
    kept = arrays.References(used=np.array(len(values["empty"])), **values)
    starts = kept.starts
    if (
        len(starts) != kept.used + 1
        or (starts[0] != 0).any()
        or (np.diff(starts, axis=0) < 0).any()
    ):
        raise DamagedError("in its state the rows of the references do not follow each other")
    if len(kept.frames) != kept.lengths.max(initial=0) or kept.columns.shape[2] != starts.max():
        raise DamagedError("in its state the rows of the references are inconsistent")
    return kept


def _bank(family: CompiledFamily, state: State) -> arrays.Bank:
    now = family.bank
    values = _BANK.read(
        state,
        models=now.intercepts.shape[1],
        columns=sum(family.widths),
        counted=now.counts.shape[1],
    )
    n = len(values["weights"])
    size = _with_room(n + family.lines)
    values["weights"] = by_columns(values["weights"])
    padded = {name: _padded(value, size) for name, value in values.items()}
    return arrays.Bank(used=np.array([n]), rates=now.rates, **padded)


def _subroutines(family: CompiledFamily, state: State) -> arrays.Subroutines:
    places = int(family.bank.used[0])
    values = _SUBROUTINES.read(state, lines=family.lines, places=max(places, 1))
    used, reference = values.pop("used"), values["reference"]
    if (
        reference >= np.maximum(family.references.used[family.settings.history_of], 1)[:, None]
    ).any():
        raise DamagedError("in its state a reference is out of range")
    if int(used.sum()) != places or int(used.max()) != reference.shape[1]:
        raise DamagedError("in its state the number of subroutines is inconsistent")
    size = _with_room(reference.shape[1])
    padded = {name: _padded(value, size, axis=1) for name, value in values.items()}
    return arrays.Subroutines(used=used, **padded)


def _with_room(count: int) -> int:
    return max(16, 1 << count.bit_length())


def _padded(values: NDArray[Any], size: int, axis: int = 0) -> NDArray[Any]:
    shape = list(values.shape)
    shape[axis] = size
    room = np.zeros(shape, values.dtype)
    room[(slice(None),) * axis + (slice(values.shape[axis]),)] = values
    return room
