"""Separates rows of the stream from rows that only bring a label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from macro_engine.core.late_labels import NEVER
from macro_engine.core.rows import Bools, Ints
from macro_engine.stream.accepted_rows import AcceptedRows
from macro_engine.stream.awaited_labels import TWICE, AwaitedLabels
from macro_engine.stream.spec import LateLabels, StreamSpec
from macro_engine.stream.table import IS_MISSING, MISSING, Problem, Problems, Table
from macro_engine.stream.times import TimeReader


class LateRows:
    """Reads the columns that tell of late labels.

    Parameters
    ----------
    report
        Takes a line of text for the user.

    Attributes
    ----------
    awaited
        The rows whose labels are not known yet.
    """

    def __init__(self, spec: StreamSpec, late: LateLabels, report: Callable[[str], None]) -> None:
        self.spec = spec
        self.late = late
        self.awaited = AwaitedLabels(late, report)
        self.time_reader: TimeReader | None = None
        self.given: dict[str, tuple[str, int | None]] = {}  # labels of a second file, and when

    def told_apart(
        self, accepted: AcceptedRows, table: Table, found: list[tuple[str, Problems]]
    ) -> AcceptedRows:
        """The rows with their keys, and when their labels are known; more problems may be found."""
        late = self.late
        keys = keys_of(table, late, found) if late.key else []
        due = np.full(len(accepted), -NEVER)
        if late.delay and accepted.times is not None:
            due = accepted.times + late.delay
        if late.time is not None and late.time in table.columns:
            due, problems = table.columns[late.time].times(self.reader_of(table, late.time))
            needed = {i: problem for i, problem in problems.items() if accepted.labels[i]}
            found.append((late.time, needed))
        if not late.key:
            return replace(accepted, due=due, alone=np.zeros(len(accepted), np.bool_))
        accepted = self._with_given(accepted, keys, due)
        bad = {i for _, problems in found for i in problems}
        alone, twice = self.awaited.sort_out(
            keys, accepted.labels, self._blank(table, len(accepted)), bad
        )
        for place, (column, problems) in enumerate(found):
            if column not in (self.spec.label.column, *late.key):  # a label alone needs no others
                found[place] = column, {i: p for i, p in problems.items() if not alone[i]}
        found.append((late.key[0], {i: Problem(TWICE, keys[i]) for i in twice}))
        return replace(accepted, keys=keys, due=due, alone=alone)

    def _blank(self, table: Table, count: int) -> Bools:
        """Rows that have neither a number nor a category."""
        blank = np.ones(count, np.bool_)
        for name in (*self.spec.features, *self.spec.categorical):
            if name in self.late.key:
                continue
            texts = table.columns[name].texts()
            blank &= np.fromiter((text in MISSING for text in texts), np.bool_, count)
            if not blank.any():
                break
        return blank

    def give(self, key: str, label: str, moment: int | None) -> None:
        """Adds a label of a second file, and the time when it was known, if given."""
        before = self.given.setdefault(key, (label, moment))[0]
        if before != label:
            self.awaited.note("disagrees", key)

    def _with_given(self, accepted: AcceptedRows, keys: Sequence[str], due: Ints) -> AcceptedRows:
        """Put the labels of a second file into their rows; `due` is changed."""
        if not self.given:
            return accepted
        labels = list(accepted.labels)
        for i, key in enumerate(keys):
            if not labels[i] and key in self.given:
                labels[i], moment = self.given[key]
                self.awaited.matched += 1
                if moment is not None:
                    due[i] = moment
        return replace(accepted, labels=labels)

    def finish(self) -> None:
        """No more rows come."""
        unknown = max(len(self.given) - self.awaited.matched, 0)
        if unknown:
            self.awaited.note("unknown", count=unknown)

    def reader_of(self, table: Table, name: str) -> TimeReader:
        """How the times at which labels were known are written."""
        column = table.columns[name]
        reader = self.time_reader or column.time_reader(self.spec.time_format)
        if column.has_values():
            self.time_reader = reader
        return reader


def keys_of(table: Table, late: LateLabels, found: list[tuple[str, Problems]]) -> list[str]:
    """The keys of rows, several columns joined by commas; one that is missing is a problem."""
    columns = [table.columns[name].texts() for name in late.key]
    for name, values in zip(late.key, columns, strict=True):
        missing = {i: Problem(IS_MISSING) for i, value in enumerate(values) if value in MISSING}
        found.append((name, missing))
    return [",".join(parts) for parts in zip(*columns, strict=True)]


def without_missing_labels(labels: list[str], problems: Problems) -> tuple[list[str], Problems]:
    """Labels with an empty text for each that is missing; and the other problems."""
    missing = {i for i, problem in problems.items() if problem.kind == IS_MISSING}
    if not missing:
        return labels, problems
    left = {i: problem for i, problem in problems.items() if i not in missing}
    return ["" if i in missing else label for i, label in enumerate(labels)], left
