"""Rows that wait for labels: their number, age and likeliest members of the rare class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from macro_engine.algorithm.closed_steps import ClosedSteps
from macro_engine.core.format import short_threshold_text, time_text
from macro_engine.core.late_labels import Outcomes
from macro_engine.core.names import Names
from macro_engine.core.rows import Bools, Floats, Ints

SHOWN = 50  # rows that are named at most


@dataclass(frozen=True)
class Pending:
    """The rows that wait for labels.

    Attributes
    ----------
    rows
        How many there are.
    oldest
        The time of the first, in microseconds since 1970; None where the stream has none.
    rare
        The class by which they are ordered.
    expected
        By classes: how many of the rows are expected to be of it.
    likely
        The rows likeliest to be of the rare class, in words by name: `key`, `row`, `time`, `p`,
        `prediction`, `step`, `member`, `active`, `distance`, `close`.
    """

    rows: int = 0
    oldest: int | None = None
    rare: str = ""
    expected: dict[str, float] = field(default_factory=dict)
    likely: tuple[dict[str, str], ...] = ()


class PendingRows:
    """Follows which rows of closed steps have no label yet.

    Attributes
    ----------
    first_row
        The number of the first row of a step that waits.
    known
        Of the rows from there on: whether the label has come.
    """

    def __init__(self) -> None:
        self.first_row = 0
        self.known: Bools = np.empty(0, np.bool_)
        self.early: set[int] = set()  # rows of the open step whose labels have come

    def follow(self, waiting: Sequence[ClosedSteps], completed: int, told: Outcomes | None) -> None:
        """Steps were closed and completed, and labels have come."""
        if not waiting:
            self.first_row, self.known = 0, np.empty(0, np.bool_)
        else:
            first, last = waiting[0], waiting[-1]
            begin = first.block.starts[max(completed - first.first, 0)]
            first_row = first.block.first_row + int(begin)
            stop = last.block.first_row + len(last.block.rows)
            if not len(self.known) or first_row >= self.first_row + len(self.known):
                self.first_row, self.known = first_row, np.empty(0, np.bool_)
            self.known = self.known[first_row - self.first_row :]
            more = stop - first_row - len(self.known)
            self.known = np.concatenate([self.known, np.zeros(more, np.bool_)])
            self.first_row = first_row
        self._take(told)

    def _take(self, told: Outcomes | None) -> None:
        rows = np.fromiter(self.early, np.int64, len(self.early))
        if told is not None:
            rows = np.concatenate([rows, told.rows])
        places = rows - self.first_row
        self.known[places[(places >= 0) & (places < len(self.known))]] = True
        self.early = set(rows[places >= len(self.known)].tolist())

    def told_before(self, rows: Ints) -> None:
        """Labels of these rows had come before the run went on."""
        self.early |= set(rows.tolist())

    def seen(
        self,
        waiting: Sequence[ClosedSteps],
        strategy: str,
        classes: Sequence[str],
        names: Names,
        rare: int | None,
    ) -> Pending:
        """Returns the pending rows now; if `rare` is None, the least expected class is used."""
        unknown = np.flatnonzero(~self.known)
        if not len(unknown) or not waiting:
            return Pending()
        p = _probabilities(waiting, strategy, len(classes))[-len(self.known) :][unknown]
        expected = p.sum(axis=0)
        rare = int(expected.argmin()) if rare is None else rare
        order = np.argsort(-p[:, rare], kind="stable")[:SHOWN]
        firsts = np.array([part.block.first_row for part in waiting])
        likely = tuple(
            _in_words(waiting, firsts, int(row), float(share), strategy, classes, names)
            for row, share in zip(self.first_row + unknown[order], p[order, rare], strict=True)
        )
        place = self.first_row + int(unknown[0])
        part = waiting[int(np.searchsorted(firsts, place, side="right")) - 1]
        times = part.block.times
        return Pending(
            len(unknown),
            None if times is None else int(times[place - part.block.first_row]),
            classes[rare],
            dict(zip(classes, expected.tolist(), strict=True)),
            likely,
        )


def _probabilities(waiting: Sequence[ClosedSteps], strategy: str, classes: int) -> Floats:
    """Rows by classes; 1 for the class that is predicted where there are none."""
    found = []
    for part in waiting:
        answer = part.answers[strategy]
        p = answer.probabilities
        found.append(np.eye(classes)[answer.predictions.astype(np.int64)] if p is None else p)
    return np.concatenate(found)


def _in_words(
    waiting: Sequence[ClosedSteps],
    firsts: Ints,
    row: int,
    share: float,
    strategy: str,
    classes: Sequence[str],
    names: Names,
) -> dict[str, str]:
    part = waiting[int(np.searchsorted(firsts, row, side="right")) - 1]
    block, answers, result = part.block, part.answers, part.result
    i = row - block.first_row
    s = int(np.searchsorted(block.starts, i, side="right")) - 1
    member = int(part.shown_members(names)[s])
    distance = float(result.distance[member, s])
    return {
        "key": "" if block.keys is None else block.keys[i],
        "row": f"{row:,}",
        "time": "" if block.times is None else time_text(int(block.times[i])),
        "p": f"{share:.4f}",
        "prediction": classes[int(answers[strategy].predictions[i])],
        "step": f"{block.first_step + s:,}",
        "member": names.member_names[member],
        "active": str(int(result.active[member, s])),
        "distance": "" if np.isnan(distance) else short_threshold_text(distance),
        "close": str(int(result.close[member, s])),
    }
