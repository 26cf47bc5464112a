"""Formats a prediction, and the label of a row, as a line."""

from __future__ import annotations

import csv
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from macro_engine.core.late_labels import Outcomes
from macro_engine.core.rows import Counts, Floats, Ints


@dataclass(frozen=True, eq=False)
class PredictedRows:
    """Rows in succession, and what was predicted of them.

    Attributes
    ----------
    first_row
        The number of the first of them in the stream.
    steps, predictions
        By rows: the step, and the class index.
    probabilities
        Rows by classes; None where there are none.
    members, active
        By rows: the index of the member that is shown, and its active subroutine.
    """

    first_row: int
    steps: Ints
    times: Ints | None
    keys: Sequence[str] | None
    predictions: Counts
    probabilities: Floats | None
    members: Counts
    active: Counts

    def __len__(self) -> int:
        return len(self.predictions)

    def since(self, row: int) -> PredictedRows:
        """Returns the rows from one on."""
        start = max(row - self.first_row, 0)
        return self.cut(start, len(self)) if start else self

    @property
    def ends_of_steps(self) -> Ints:
        """Where each of its steps ends among the rows."""
        ends: Ints = np.flatnonzero(np.diff(self.steps, append=-1)) + 1
        return ends

    def cut(self, start: int, stop: int) -> PredictedRows:
        return PredictedRows(
            self.first_row + start,
            self.steps[start:stop],
            None if self.times is None else self.times[start:stop],
            None if self.keys is None else self.keys[start:stop],
            self.predictions[start:stop],
            None if self.probabilities is None else self.probabilities[start:stop],
            self.members[start:stop],
            self.active[start:stop],
        )


class LineFormat(ABC):
    """Writes lines of text.

    Parameters
    ----------
    classes, members
        Their names, in order.
    strategy
        Whose predictions they are.
    with_outcomes
        Whether there is room for outcomes.
    """

    def __init__(
        self, classes: Sequence[str], members: Sequence[str], strategy: str, with_outcomes: bool
    ) -> None:
        self.classes = classes
        self.members = members
        self.strategy = strategy
        self.with_outcomes = with_outcomes

    @property
    def header(self) -> str:
        """The header of a file."""
        return ""

    @abstractmethod
    def predictions(self, found: PredictedRows) -> list[str]:
        """A line for each row."""

    @abstractmethod
    def outcomes(self, found: Outcomes) -> list[str]:
        """A line for each row."""


class JsonLines(LineFormat):
    """An object a line."""

    def __init__(
        self, classes: Sequence[str], members: Sequence[str], strategy: str, with_outcomes: bool
    ) -> None:
        super().__init__(classes, members, strategy, with_outcomes)
        self.quoted = [json.dumps(name) for name in classes]
        of_classes = ", ".join(f"{name.replace('%', '%%')}: %.6g" for name in self.quoted)
        self.shares = f"{{{of_classes}}}"
        # what depends on the member alone
        self.ends = [
            f', "strategy": {json.dumps(strategy)}, "active": %d, '
            f'"member": {json.dumps(member).replace("%", "%%")}}}\n'
            for member in members
        ]

    def predictions(self, found: PredictedRows) -> list[str]:
        shares: Iterable[str] = ["null"] * len(found)
        if found.probabilities is not None and not np.isnan(found.probabilities).any():
            shares = [self.shares % tuple(p) for p in found.probabilities.tolist()]
        heads = _json_heads(
            range(found.first_row, found.first_row + len(found)), found.steps, found.times,
            found.keys,
        )  # fmt: skip
        quoted, ends = self.quoted, self.ends
        return [
            f'{head}, "prediction": {quoted[c]}, "p": {p}{ends[member] % active}'
            for head, c, p, member, active in zip(
                heads, found.predictions.tolist(), shares, found.members.tolist(),
                found.active.tolist(), strict=True,
            )
        ]  # fmt: skip

    def outcomes(self, found: Outcomes) -> list[str]:
        heads = _json_heads(found.rows.tolist(), found.steps, found.times, found.keys)
        return [
            f'{head}, "outcome": {self.quoted[label]}}}\n'
            for head, label in zip(heads, found.labels.tolist(), strict=True)
        ]


class CsvLines(LineFormat):
    """A header, and a record a line; the columns of the classes are called p_<class>."""

    @property
    def header(self) -> str:
        shares = [f"p_{name}" for name in self.classes]
        first = ["key", "row", "time", "step", "prediction", *shares]
        last = ["strategy", "active", "member", *(["outcome"] if self.with_outcomes else [])]
        return "".join(_records([[*first, *last]]))

    def predictions(self, found: PredictedRows) -> list[str]:
        n = len(found)
        shares: Iterable[list[str]] = [[""] * len(self.classes)] * n
        if found.probabilities is not None and not np.isnan(found.probabilities).any():
            shares = [[f"{share:.6g}" for share in p] for p in found.probabilities.tolist()]
        outcome = [""] if self.with_outcomes else []
        rows = range(found.first_row, found.first_row + n)
        columns = (
            found.keys or [""] * n, rows, _times(found.times, n), found.steps.tolist(),
            found.predictions.tolist(), shares, found.active.tolist(), found.members.tolist(),
        )  # fmt: skip
        return _records(
            [key, row, time, step, self.classes[c], *p, self.strategy, active, self.members[m],
             *outcome]
            for key, row, time, step, c, p, active, m in zip(*columns, strict=True)
        )  # fmt: skip

    def outcomes(self, found: Outcomes) -> list[str]:
        n = len(found.rows)
        empty = [""] * (len(self.classes) + 4)
        columns = (
            found.keys or [""] * n, found.rows.tolist(), _times(found.times, n),
            found.steps.tolist(), found.labels.tolist(),
        )  # fmt: skip
        return _records(
            [key, row, time, step, *empty, self.classes[label]]
            for key, row, time, step, label in zip(*columns, strict=True)
        )


def _json_heads(
    rows: Iterable[int], steps: Ints, times: Ints | None, keys: Sequence[str] | None
) -> list[str]:
    n = len(steps)
    quoted = ["null"] * n if keys is None else map(json.dumps, keys)
    when = ["null"] * n if times is None else [f'"{time}"' for time in _times(times, n)]
    return [
        f'{{"key": {key}, "row": {row}, "time": {time}, "step": {step}'
        for key, row, time, step in zip(quoted, rows, when, steps.tolist(), strict=True)
    ]


def _times(times: Ints | None, n: int) -> list[str]:
    """In ISO 8601, without a fraction where no row has one."""
    if times is None:
        return [""] * n
    texts = np.datetime_as_string(times.astype("datetime64[us]")).tolist()
    return [text.removesuffix(".000000") for text in texts]


class _Gathered(list[str]):
    """Takes what a writer writes, record by record."""

    write = list.append


def _records(records: Iterable[Sequence[object]]) -> list[str]:
    lines = _Gathered()
    csv.writer(lines, lineterminator="\n").writerows(records)
    return lines
