"""Usable rows before they are encoded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from macro_engine.core.declared import Array, Declared, Text, Texts
from macro_engine.core.rows import Bools, Floats, Ints
from macro_engine.core.state import DamagedError, State
from macro_engine.stream.spec import StreamSpec


@dataclass(frozen=True)
class AcceptedRows:
    """Rows of one file, column by column."""

    numbers: Floats
    categories: list[list[str]]  # one list a category
    labels: list[str]
    times: Ints | None
    lines: Ints
    file: str
    unit: str
    rejected: Ints  # how many were turned away before each row, and after the last one
    # where labels come late: the keys, when labels are known, and which rows are labels alone
    keys: list[str] | None = None
    due: Ints | None = None
    alone: Bools | None = None
    partitions: Ints | None = None  # where a source has several: of which one the line is counted

    remembers: ClassVar = Declared(
        Array("numbers", np.float64, ("rows", "features"), shared=True),
        Texts("labels", "rows"),
        Array("times", np.int64, ("rows",), shared=True, optional=True),
        Array("lines", np.int64, ("rows",), shared=True),
        Text("file"),
        Text("unit"),
        Array("rejected", np.int64, (None,), low=0, shared=True),
        Array("due", np.int64, ("rows",), shared=True, optional=True),
        Array("alone", np.bool_, ("rows",), shared=True, optional=True),
        Array("partitions", np.int64, ("rows",), shared=True, optional=True),
    )

    def __len__(self) -> int:
        return len(self.lines)

    def state(self) -> State:
        return self.remembers.state_of(self) | {
            "categories": self.categories,
            "keys": None if self.keys is None else list(self.keys),
        }

    @staticmethod
    def restored(state: State, spec: StreamSpec) -> AcceptedRows:
        values = AcceptedRows.remembers.read(state, features=len(spec.features))
        n = len(values["lines"])
        categories = state.get("categories")
        if (
            not isinstance(categories, list)
            or len(categories) != len(spec.categorical)
            or len(values["rejected"]) != n + 1
            or (values["times"] is None) != (spec.time is None)
            or (values["alone"] is None) != (spec.late_labels is None)
        ):
            raise DamagedError("in its state the rows held back are not those of the stream")
        column = Texts("values", n)
        keys = state.get("keys")
        return AcceptedRows(
            categories=[column.taken({"values": texts}, {}) for texts in categories],
            keys=None if keys is None else column.taken({"values": keys}, {}),
            **values,
        )

    def followed_by(self, rejected: int) -> AcceptedRows:
        """Returns the same rows, with more rejected rows after the last one."""
        return replace(self, rejected=np.append(self.rejected[:-1], self.rejected[-1] + rejected))

    @staticmethod
    def join(parts: Sequence[AcceptedRows]) -> AcceptedRows:
        """All rows of the parts; of what was turned away, and of files, the last part tells."""
        last = parts[-1]
        times = [part.times for part in parts if part.times is not None]
        return replace(
            last,
            numbers=np.concatenate([part.numbers for part in parts]),
            categories=[
                [value for values in column for value in values]
                for column in zip(*(part.categories for part in parts), strict=True)
            ],
            labels=[label for part in parts for label in part.labels],
            times=np.concatenate(times) if times else None,
            lines=np.concatenate([part.lines for part in parts]),
            keys=None if last.keys is None else [k for part in parts for k in part.keys or ()],
            due=None if last.due is None else np.concatenate([part.due for part in parts]),
            alone=None if last.alone is None else np.concatenate([part.alone for part in parts]),
            partitions=None
            if last.partitions is None
            else np.concatenate([part.partitions for part in parts]),
        )

    def pick(self, places: Ints, rejected: Ints) -> AcceptedRows:
        """Returns the rows at some indices, with the numbers of rejected rows around them."""
        chosen = places.tolist()
        return replace(
            self,
            numbers=self.numbers[places],
            categories=[[values[i] for i in chosen] for values in self.categories],
            labels=[self.labels[i] for i in chosen],
            times=None if self.times is None else self.times[places],
            lines=self.lines[places],
            rejected=rejected,
            keys=None if self.keys is None else [self.keys[i] for i in chosen],
            due=None if self.due is None else self.due[places],
            alone=None if self.alone is None else self.alone[places],
            partitions=None if self.partitions is None else self.partitions[places],
        )

    def where(self, keep: Bools) -> AcceptedRows:
        """Returns some of the rows; the others count as rejected."""
        chosen = keep.tolist()
        rejected = self.rejected + np.append(~keep, False)
        firsts = np.append(0, np.flatnonzero(keep) + 1)
        return AcceptedRows(
            self.numbers[keep],
            [_chosen(values, chosen) for values in self.categories],
            _chosen(self.labels, chosen),
            None if self.times is None else self.times[keep],
            self.lines[keep],
            self.file,
            self.unit,
            np.add.reduceat(rejected, firsts),
            None if self.keys is None else _chosen(self.keys, chosen),
            None if self.due is None else self.due[keep],
            None if self.alone is None else self.alone[keep],
            None if self.partitions is None else self.partitions[keep],
        )

    def without_labels_alone(self) -> AcceptedRows:
        """Returns the rows of the stream; rejected rows around the others stay counted."""
        if self.alone is None or not self.alone.any():
            return self
        places = np.flatnonzero(~self.alone)
        return self.pick(places, np.add.reduceat(self.rejected, np.append(0, places + 1)))


def _chosen(values: Sequence[str], keep: Sequence[bool]) -> list[str]:
    return [value for value, kept in zip(values, keep, strict=True) if kept]
