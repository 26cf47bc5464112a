"""Stores labels of rows by the keys of the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from macro_engine.core.state import DamagedError, State

NO_LABEL = -1


def state_of(labels: Mapping[str, int]) -> list[Any]:
    return [list(labels), list(labels.values())]


def restored(state: State, name: str, classes: int) -> dict[str, int]:
    """Restores what `state_of` returned, from its name in a state."""
    kept = state.get(name)
    if isinstance(kept, list) and len(kept) == 2:
        keys, labels = kept
        if isinstance(keys, list) and isinstance(labels, list) and len(keys) == len(labels):
            found = dict(zip(map(str, keys), labels, strict=True))
            if all(type(label) is int and NO_LABEL <= label < classes for label in labels):
                return found
    raise DamagedError(f"in its state the labels of '{name}' are invalid")
