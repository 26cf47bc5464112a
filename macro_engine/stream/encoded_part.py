"""Encoded rows before they are grouped into steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from macro_engine.core.declared import Texts
from macro_engine.core.rows import Bools, Columns, Ints, Rows
from macro_engine.core.state import State, array


@dataclass(frozen=True)
class EncodedPart:
    """Encoded rows; which of them open a step or came late, and how many were rejected before."""

    rows: Rows
    times: Ints | None
    opens: Bools
    late: Ints
    rejected: Ints
    keys: list[str] | None = None

    @staticmethod
    def join(parts: Sequence[EncodedPart]) -> EncodedPart:
        if len(parts) == 1:
            return parts[0]
        times = [part.times for part in parts if part.times is not None]
        return EncodedPart(
            Rows.join([part.rows for part in parts], parts[-1].rows.columns),
            np.concatenate(times) if times else None,
            np.concatenate([part.opens for part in parts]),
            np.concatenate([part.late for part in parts]),
            np.concatenate([part.rejected for part in parts]),
            None if parts[0].keys is None else [k for part in parts for k in part.keys or ()],
        )

    def state(self) -> State:
        return self.rows.state() | {
            "times": self.times,
            "opens": self.opens,
            "late": self.late,
            "rejected": self.rejected,
            "keys": self.keys,
        }

    @staticmethod
    def restored(state: State, columns: Columns, classes: int) -> EncodedPart:
        rows = Rows.restored(state, columns, classes)
        n = len(rows)
        return EncodedPart(
            rows,
            None if state.get("times") is None else array(state, "times", np.int64, (n,)),
            array(state, "opens", np.bool_, (n,)),
            array(state, "late", np.int64, (n,)),
            array(state, "rejected", np.int64, (n,)),
            None if state.get("keys") is None else Texts("keys", n).taken(state, {}),
        )

    def cut(self, start: int, stop: int) -> EncodedPart:
        times = None if self.times is None else self.times[start:stop]
        return EncodedPart(
            self.rows.cut(start, stop),
            times,
            self.opens[start:stop],
            self.late[start:stop],
            self.rejected[start:stop],
            None if self.keys is None else self.keys[start:stop],
        )
