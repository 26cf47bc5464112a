"""Encodes raw rows: checks values, and finds classes and columns of categories."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import numpy as np

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.format import count_text
from macro_engine.core.rows import LARGEST, SLOTS, Columns, Floats, Ints, Rows
from macro_engine.core.state import DamagedError, State, children, flag, indices, texts
from macro_engine.stream.accepted_rows import AcceptedRows
from macro_engine.stream.clock_columns import NO_CLOCK
from macro_engine.stream.label import class_order
from macro_engine.stream.late_rows import LateRows, without_missing_labels
from macro_engine.stream.spec import MEAN, MOST_CLASSES, StreamSpec
from macro_engine.stream.table import (
    IS_MISSING,
    MISSING,
    NO_CLASS,
    NOT_FINITE,
    Column,
    Problem,
    Problems,
    Rejection,
    Rejections,
    Table,
    unit_at,
)
from macro_engine.stream.times import TimeReader, time_reader_described

SAMPLE = 500  # usable rows from which classes are learned


class Encoder:
    """Turns tables into encoded rows.

    Where classes must be learned it holds the first usable rows back, fixes them, and then gives
    all rows out. Numbers are not scaled yet: that takes whole steps.
    """

    def __init__(
        self,
        spec: StreamSpec,
        rejections: Rejections,
        report: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self.spec = spec
        self.rejections = rejections
        self.report = report
        self.classes = spec.label.classes or spec.classes
        self.held: list[AcceptedRows] = []
        self.time_reader: TimeReader | None = None
        self.vocabulary = [_Slots() for _ in spec.encoded().categories]
        self.late_rows: LateRows | None = None
        if spec.late_labels is not None:
            self.late_rows = LateRows(spec, spec.late_labels, report)
        self.unlimited = np.array(
            [not spec.scaled or name not in spec.bounds for name in spec.features], np.bool_
        )
        self.missing = np.zeros(len(spec.features) + len(spec.categorical), np.int64)
        self.fixed = False
        if self.classes is not None:
            self._fix()

    @property
    def sampled(self) -> int:
        """The number of rows held back until the classes are known."""
        if self.spec.late_labels is None:
            return sum(map(len, self.held))
        return sum(len(held.labels) - held.labels.count("") for held in self.held)

    @property
    def columns(self) -> Columns:
        return self.spec.encoded(tuple(slots.names for slots in self.vocabulary))

    def take(self, table: Table) -> list[AcceptedRows]:
        """The usable rows of a table, once the classes are fixed."""
        accepted = self._usable(table)
        if self.fixed:
            return [self._in_classes(accepted)]
        if self.held and not len(accepted):  # nothing to hold back but a number
            self.held[-1] = self.held[-1].followed_by(int(accepted.rejected[0]))
        else:
            self.held.append(accepted)
        return self.finish() if self.sampled >= SAMPLE else []

    def finish(self) -> list[AcceptedRows]:
        """The rows still held back when the stream has ended."""
        if self.fixed or not any(map(len, self.held)):
            return []
        self._learn()
        held, self.held = self.held, []
        return [self._in_classes(accepted) for accepted in held]

    def encode(self, accepted: AcceptedRows) -> Rows:
        """The rows with categories in their slots and labels as indices; numbers as they are."""
        numbers, categories, clock = accepted.numbers, accepted.categories, self.spec.clock
        if clock != NO_CLOCK:
            assert accepted.times is not None
            numbers = np.concatenate([numbers, clock.numbers_at(accepted.times)], axis=1)
            categories = [*categories, *clock.categories_at(accepted.times)]
        slots = np.empty((len(accepted), len(self.vocabulary)), np.int64)
        for c, (known, values) in enumerate(zip(self.vocabulary, categories, strict=True)):
            slots[:, c] = known.slots(values)
        labels = self.label_indices(accepted.labels)
        if self.spec.late_labels is not None:
            labels = np.maximum(labels, 0)  # they mean nothing before the step is complete
        return Rows(numbers, slots, labels, self.columns)

    def label_indices(self, labels: Sequence[str]) -> Ints:
        """Class indices; -1 for a label that is not known, or none of the classes."""
        known = self.index
        return np.fromiter((known.get(label, -1) for label in labels), np.int64, len(labels))

    def state(self) -> State:
        """Returns the state: classes, categories and scale so far."""
        return {
            "classes": list(self.classes) if self.classes is not None else None,
            "fixed": self.fixed,
            "missing": self.missing.copy(),
            "vocabulary": [list(slots.names) for slots in self.vocabulary],
            "times": None if self.time_reader is None else self.time_reader.described,
            "held": [accepted.state() for accepted in self.held],
        }

    def restore(self, state: State) -> None:
        """Restores a state; the encoder must be new."""
        if state.get("times") is not None:
            described = str(state["times"])
            self.time_reader = time_reader_described(described, self.spec.time_format)
        self.missing = indices(state, "missing", (len(self.missing),), 1 << 62)
        known = state.get("vocabulary")
        if not isinstance(known, list) or len(known) != len(self.vocabulary):
            raise DamagedError("in its state the categories are not those of the stream")
        for slots, names in zip(self.vocabulary, known, strict=True):
            slots.restore(names)
        self.held = [AcceptedRows.restored(kept, self.spec) for kept in children(state, "held")]
        if self.fixed or not flag(state, "fixed"):
            return
        self.classes = tuple(texts(state, "classes"))
        self._fix()

    def _usable(self, table: Table) -> AcceptedRows:
        spec = self.spec
        for broken in table.broken:
            self.rejections.add(broken)
        found: list[tuple[str, Problems]] = []
        times = None
        if spec.time is not None:
            column = table.columns[spec.time]
            times, problems = column.times(self.time_reader or self._judge_times(table, spec.time))
            found.append((spec.time, problems))
        labels, problems = [""] * len(table), {}
        if spec.has_label_column:
            labels, problems = spec.label.read(table.columns[spec.label.column], self.classes)
        if spec.late_labels is not None:
            labels, problems = without_missing_labels(labels, problems)
        found.append((spec.label.column, problems))
        numbers = np.empty((len(table), len(spec.features)))
        for c, name in enumerate(spec.features):
            numbers[:, c], problems = table.columns[name].numbers()
            if spec.missing == MEAN:
                problems = self._without_missing(c, numbers, problems)
            found.append((name, problems))
        if self.unlimited.any():
            found += self._too_large(numbers)
        accepted = AcceptedRows(
            numbers,
            [self._category(c, table.columns[name]) for c, name in enumerate(spec.categorical)],
            labels,
            times,
            table.lines,
            table.file,
            table.unit,
            _counted(table),
            partitions=table.partitions,
        )
        if self.late_rows is not None:
            accepted = self._told_apart(accepted, table, found)
        return self._without(accepted, found)

    def _told_apart(
        self, accepted: AcceptedRows, table: Table, found: list[tuple[str, Problems]]
    ) -> AcceptedRows:
        """Separates rows of the stream from labels that come alone."""
        assert self.late_rows is not None
        accepted = self.late_rows.told_apart(accepted, table, found)
        if self.spec.missing == MEAN and accepted.alone is not None and accepted.alone.any():
            features, alone = len(self.spec.features), accepted.alone
            self.missing[:features] -= np.isnan(accepted.numbers[alone]).sum(axis=0)
            for c, texts in enumerate(accepted.categories):
                self.missing[features + c] -= sum(texts[i] == "" for i in np.flatnonzero(alone))
        return accepted

    def _without_missing(self, c: int, numbers: Floats, problems: Problems) -> Problems:
        """Note which numbers of a feature are missing; the problems that remain."""
        missing = [i for i, problem in problems.items() if problem.kind in (IS_MISSING, NOT_FINITE)]
        numbers[missing, c] = np.nan
        self.missing[c] += len(missing)
        known = set(missing)
        return {i: problem for i, problem in problems.items() if i not in known}

    def _category(self, c: int, column: Column) -> list[str]:
        """The values of a category, of which a missing one is one."""
        texts = column.texts()
        if self.spec.missing != MEAN or MISSING.isdisjoint(texts):
            return texts
        texts = ["" if text in MISSING else text for text in texts]
        self.missing[len(self.spec.features) + c] += texts.count("")
        return texts

    def what_was_missing(self) -> list[str]:
        """In words, for each column with missing values that did not cost their rows."""
        features, columns = len(self.spec.features), [*self.spec.features, *self.spec.categorical]
        return [
            f"{count_text(count, 'value')} of '{visible(columns[c])}' missing, taken as "
            + ("the mean" if c < features else "a value of its own")
            for c, count in enumerate(self.missing.tolist())
            if count
        ]

    def _too_large(self, numbers: Floats) -> list[tuple[str, Problems]]:
        """Numbers that cannot be squared and summed as they are, where no bounds cut them off."""
        too_large = (np.abs(numbers) >= LARGEST) & self.unlimited
        return [
            (
                self.spec.features[c],
                {
                    i: Problem(
                        f"is not below {LARGEST:g} (bounds and --scale unit take larger ones)",
                        repr(float(numbers[i, c])),
                    )
                    for i in np.flatnonzero(too_large[:, c]).tolist()
                },
            )
            for c in np.flatnonzero(too_large.any(axis=0)).tolist()
        ]

    def _judge_times(self, table: Table, name: str) -> TimeReader:
        """How to read the times, kept from the first time that is there."""
        column = table.columns[name]
        reader = column.time_reader(self.spec.time_format)
        if column.has_values():
            self.time_reader = reader
            self.report(f"{visible(table.file)}: times in '{visible(name)}' are {reader.described}")
        return reader

    def _in_classes(self, accepted: AcceptedRows) -> AcceptedRows:
        if self.spec.label.classes is not None:
            return accepted
        strangers = {
            i: Problem(
                f"{NO_CLASS} ({', '.join(map(visible, self.index))}); --classes names them all",
                label,
            )
            for i, label in enumerate(accepted.labels)
            if label not in self.index and not self._may_wait(accepted, i)
        }
        return self._without(accepted, [(self.spec.label.column, strangers)])

    def _may_wait(self, accepted: AcceptedRows, i: int) -> bool:
        """Whether a row needs no label of its own that is one of the classes."""
        return accepted.alone is not None and (bool(accepted.alone[i]) or not accepted.labels[i])

    def _without(
        self, accepted: AcceptedRows, found: Sequence[tuple[str, Problems]]
    ) -> AcceptedRows:
        """The rows without those that have a problem; the first problem of a row is reported."""
        first: dict[int, tuple[str, Problem]] = {}
        for column, problems in found:
            for i, problem in problems.items():
                first.setdefault(i, (column, problem))
        if not first:
            return accepted
        keep = np.ones(len(accepted), np.bool_)
        for i in sorted(first):
            keep[i] = False
            column, problem = first[i]
            line = int(accepted.lines[i])
            unit = unit_at(accepted.unit, accepted.partitions, i)
            self.rejections.add(Rejection(accepted.file, line, unit, column, problem))
        return accepted.where(keep)

    def _learn(self) -> None:
        """Fix the classes by the first usable rows."""
        labels = [label for accepted in self.held for label in accepted.labels if label]
        if not labels:
            raise MacroError(
                f"{visible(self.held[0].file)}, column '{visible(self.spec.label.column)}': no row "
                "has a label; name all classes with --classes"
            )
        self.classes = tuple(sorted(set(labels[:SAMPLE]), key=class_order))
        self._check_learned_classes()
        self.report(f"classes from the first rows: {', '.join(map(visible, self.classes))}")
        self._fix()

    def _check_learned_classes(self) -> None:
        assert self.classes is not None
        column = visible(self.spec.label.column)
        sample = min(SAMPLE, self.sampled)
        file = visible(self.held[0].file)
        if len(self.classes) == 1:
            only = visible(self.classes[0])
            raise MacroError(
                f"{file}, column '{column}': one class only ('{only}') in the first {sample} "
                f"usable rows; name all with --classes {only},... "
                "(macro-tui inspect finds those of a recording)"
            )
        if len(self.classes) > MOST_CLASSES:
            raise UsageError(
                f"{file}, column '{column}': {len(self.classes)} different labels in the first "
                f"{sample} usable rows, at most {MOST_CLASSES} can be told apart; for a number use "
                f"a rule, as in --label '{column} > 3'"
            )

    def _fix(self) -> None:
        assert self.classes is not None
        self.index = {name: i for i, name in enumerate(self.classes)}
        self.fixed = True


class _Slots:
    """The one-hot column of each value of a category, in order of first appearance."""

    def __init__(self) -> None:
        self.slot: dict[str, int] = {}
        self.names: tuple[str, ...] = ()

    def restore(self, names: list[str]) -> None:
        if (
            not isinstance(names, list)
            or len(names) > SLOTS
            or not all(isinstance(name, str) for name in names)
            or len(set(names)) != len(names)
        ):
            raise DamagedError("in its state a category is invalid")
        self.names = tuple(names)
        self.slot = {name: i for i, name in enumerate(self.names)}

    def slots(self, values: Sequence[str]) -> list[int]:
        new = [value for value in dict.fromkeys(values) if value not in self.slot]
        room = SLOTS - len(self.names)
        for value in new[:room]:
            self.slot[value] = len(self.slot)
        self.names += tuple(new)[:room]
        known = self.slot
        if len(new) <= room and len(known) <= SLOTS:
            return list(map(known.__getitem__, values))
        return [
            known[value] if value in known else zlib.crc32(value.encode()) % SLOTS
            for value in values
        ]


def _counted(table: Table) -> Ints:
    """Returns the number of broken rows before each good row, and after the last."""
    places = table.good_before
    if places is None:
        places = np.searchsorted(table.lines, [broken.line for broken in table.broken])
    return np.bincount(places, minlength=len(table) + 1).astype(np.int64)
