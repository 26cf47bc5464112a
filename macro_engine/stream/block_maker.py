"""Makes blocks of whole steps from tables of raw rows, for recorded and live streams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from macro_engine.core.format import count_text, short_threshold_text
from macro_engine.core.rows import Block, Bools, Ints, Rows
from macro_engine.core.state import DamagedError, State, array, child, children, whole
from macro_engine.stream.accepted_rows import AcceptedRows
from macro_engine.stream.awaited_labels import LoneLabel
from macro_engine.stream.encode import Encoder
from macro_engine.stream.encoded_part import EncodedPart
from macro_engine.stream.quantiles import FirstSteps
from macro_engine.stream.scale import Scale
from macro_engine.stream.spec import StreamSpec
from macro_engine.stream.steps import Split, Stepper
from macro_engine.stream.table import Problem, Rejection, Rejections, Table, unit_at

_NONE = np.empty(0, np.int64)


class BlockMaker:
    """Encodes rows, groups them into steps, and keeps those of the open step.

    Parameters
    ----------
    spec
        Which column is what.
    rejections
        Where rows that cannot be used are reported.
    report
        Takes a line of text about the stream that the user should know of.
    now
        This machine's clock in microseconds since 1970, for a live stream.
    """

    def __init__(
        self,
        spec: StreamSpec,
        rejections: Rejections,
        report: Callable[[str], None] = lambda _text: None,
        now: Callable[[], int] | None = None,
    ) -> None:
        self.spec = spec
        self.rejections = rejections
        self.report = report
        self.encoder = Encoder(spec, rejections, self._say)
        late = self.encoder.late_rows
        self.awaited = None if late is None else late.awaited
        self.scale = Scale(spec, self._say)
        self.stepper = Stepper(
            spec.every, spec.reject_late, self._say, spec.ahead, spec.max_step, now
        )
        self.thresholds: list[float] | None = None  # as found in the first rows, where they are
        self.sampled: list[AcceptedRows] = []  # held back until they are found
        self.first = FirstSteps()
        self.scratch = None if spec.quantiles is None else self._scratch()
        self.held: dict[int, AcceptedRows] = {}  # rows held aside, one each, by their numbers
        self.rows = 0  # given out in blocks
        self.steps = 0
        self.pending: list[
            EncodedPart
        ] = []  # begins with the open step's first row; not scaled yet
        self.rejected = 0  # before the next accepted row
        self.reports = 0
        self.backwards = 0  # rows that lie before the row above
        self.newest: int | None = None  # time of the last row

    @property
    def open_rows(self) -> int:
        """The number of rows of the open step."""
        return sum(len(part.rows) for part in self.pending)

    @property
    def is_full(self) -> bool:
        """Whether the open step has all the rows that it may have."""
        by_count = self.spec.every.rows is not None
        has_all = self.stepper.rows == 0 if by_count else not self.stepper.is_open
        return has_all and self.open_rows > 0

    def open_step(self) -> Rows:
        """The rows of the open step, scaled by the steps before it."""
        self.pending = [EncodedPart.join(self.pending)] if self.pending else []
        if not self.pending:
            return Rows.join([], self.encoder.columns)
        return self.scale.open(self.pending[0].rows)

    def notes(self) -> list[str]:
        """Returns notes on changed values, column by column."""
        notes = [*self.encoder.what_was_missing(), *self.scale.what_was_cut_off()]
        if self.backwards and self.spec.every.rows is not None:  # else they are counted as late
            found = count_text(self.backwards, "row")
            notes.append(f"{found} before the row above in time; --sort puts a recording in order")
        return notes

    def take(self, table: Table) -> Iterator[Block]:
        """The steps that the rows of a table close; the open one is kept."""
        for accepted in self.encoder.take(table):
            yield from self._taken(accepted)
        if self.awaited is not None:
            self.awaited.tell()

    def finish(self) -> Iterator[Block]:
        """The rows still held back, and the last step."""
        for accepted in self.encoder.finish():
            yield from self._taken(accepted)
        if self.scratch is not None and self.sampled:
            for block in self.scratch.finish():
                self.first.add(block)
            yield from self._find_thresholds()
        if self.held:
            nothing = AcceptedRows.join([*self.held.values()]).pick(_NONE, np.zeros(1, np.int64))
            yield from self._added(*self._sorted_out(nothing, self.stepper.finish()))
        yield from self.close_step()
        if self.awaited is not None and self.encoder.late_rows is not None:
            self.encoder.late_rows.finish()
            self.awaited.finish()
            yield from self.completed()

    def completed(self) -> Iterator[Block]:
        """A block without steps, where labels that came make others complete.

        A step that is open was chosen for: while it is, none is complete but those that were when
        it opened.
        """
        if self.awaited is None or not self.encoder.fixed:
            return
        awaited = self.awaited
        now = int(awaited.starts[-1]) if self.open_rows else awaited.next_row
        outcomes = awaited.known_by(awaited.next_row)
        before = awaited.completed(np.array([now]))
        if outcomes is not None or before[-1] > awaited.first_step:
            nothing = Rows.join([], self.encoder.columns)
            yield Block(
                nothing, np.zeros(1, np.int64), None, self.rows, self.steps,
                completions=awaited.give_out(before), outcomes=outcomes,
            )  # fmt: skip

    def tell_labels(self, keys: Sequence[str], labels: Sequence[str]) -> None:
        """Labels come from elsewhere."""
        assert self.awaited is not None
        indices = self.encoder.label_indices(labels).tolist()
        told = [LoneLabel(0, k, y if y >= 0 else None) for k, y in zip(keys, indices, strict=True)]
        nothing = np.empty(0, np.int64)
        times = None if self.spec.time is None else nothing
        self.awaited.take(0, times, nothing, nothing, nothing.astype(np.bool_), None, told)
        self.awaited.tell()

    def close_full_step(self) -> Iterator[Block]:
        """Closes the open step; rows rejected since its last row belong to the next one."""
        rejected, self.rejected = self.rejected, 0
        yield from self.close_step()
        self.rejected = rejected

    def close_step(self) -> Iterator[Block]:
        """Close the open step, if there is one."""
        self.stepper.close()
        if not self.open_rows:
            return
        last = EncodedPart.join(self.pending)
        rejected = last.rejected.copy()  # what others hold of the open step stays as it is
        rejected[-1] += self.rejected
        last = replace(last, rejected=rejected)
        self.rejected = 0
        self.pending = []
        yield self._block(last, np.append(np.flatnonzero(last.opens), len(last.rows)))

    def state(self) -> State:
        """Returns the state, which `packed` converts for storage."""
        return {
            "rows": self.rows,
            "steps": self.steps,
            "encoder": self.encoder.state(),
            "scale": self.scale.state(),
            "stepper": self.stepper.state(),
            "rejections": self.rejections.state(),
            "reports": self.reports,
            "backwards": self.backwards,
            "newest": self.newest,
            "rejected": self.rejected,
            "pending": list(self.pending),
            "held": list(self.held.values()),
            "thresholds": None if self.thresholds is None else np.array(self.thresholds),
            "sampled": list(self.sampled),
            "awaited": None if self.awaited is None else self.awaited.state(),
        }

    def restore(self, state: State) -> None:
        """Restores a state; the maker must be new."""
        self.rows, self.steps = whole(state, "rows"), whole(state, "steps")
        self.encoder.restore(child(state, "encoder"))
        self.scale.restore(child(state, "scale"))
        self.stepper.restore(child(state, "stepper"))
        self.rejections.restore(child(state, "rejections"))
        self.rejected = whole(state, "rejected")
        self.reports = whole(state, "reports")
        self.backwards = whole(state, "backwards") if "backwards" in state else 0
        newest = state.get("newest")
        self.newest = newest if isinstance(newest, int) else None
        if state.get("pending") is not None:
            classes = len(self.encoder.classes or ())
            part = EncodedPart.restored(child(state, "pending"), self.encoder.columns, classes)
            if (part.times is None) != (self.spec.time is None):
                raise DamagedError("in its state the open step's times are missing")
            self.pending = [part]
        if self.awaited is not None:
            self.awaited.restore(child(state, "awaited"), len(self.encoder.classes or ()))
        rows = self.stepper.ahead.rows
        kept = [AcceptedRows.restored(row, self.spec) for row in children(state, "held", len(rows))]
        if any(len(row) != 1 for row in kept):
            raise DamagedError("in its state the rows held aside are invalid")
        self.held = {row.number: one for row, one in zip(rows, kept, strict=True)}
        if self.scratch is not None and state.get("thresholds") is not None:
            found = array(state, "thresholds", np.float64, (None,))
            if not len(found) or not (np.isfinite(found) & (found >= 0)).all():
                raise DamagedError("in its state the thresholds are invalid")
            self.thresholds, self.scratch = found.tolist(), None
        elif self.scratch is not None:
            for sampled in children(state, "sampled"):
                self._sample(AcceptedRows.restored(sampled, self.spec))

    def _scratch(self) -> BlockMaker:
        """Makes the steps of the first rows, which are run afterwards."""
        scratch = BlockMaker(replace(self.spec, quantiles=None), Rejections())
        scratch.encoder = self.encoder
        return scratch

    def _taken(self, accepted: AcceptedRows) -> Iterator[Block]:
        if self.scratch is None:
            yield from self._closed(accepted)
            return
        self._sample(accepted)
        if self.first.are_enough:
            yield from self._find_thresholds()

    def _sample(self, accepted: AcceptedRows) -> None:
        assert self.scratch is not None
        self.sampled.append(accepted)
        for block in self.scratch._closed(accepted):
            if not self.first.are_enough:
                self.first.add(block)

    def _find_thresholds(self) -> Iterator[Block]:
        """Fix the thresholds by the first rows, and give those out."""
        assert self.spec.quantiles is not None
        classes = len(self.encoder.classes or ())
        self.thresholds = self.spec.quantiles.thresholds(self.first.blocks, classes)
        found = ", ".join(map(short_threshold_text, self.thresholds))
        self._say(f"thresholds from the first {self.first.rows:,} rows: {found}")
        sampled, self.sampled = self.sampled, []
        self.scratch, self.first = None, FirstSteps()
        for accepted in sampled:
            yield from self._closed(accepted)

    def _closed(self, accepted: AcceptedRows) -> Iterator[Block]:
        """The steps that these rows close; the open one is kept."""
        told = self._told(accepted)
        accepted = accepted.without_labels_alone()
        if accepted.times is not None and len(accepted):
            before = accepted.times[0] if self.newest is None else self.newest
            self.backwards += int(np.count_nonzero(np.diff(accepted.times, prepend=before) < 0))
            self.newest = int(accepted.times[-1])
        split = self.stepper.split(accepted.times, len(accepted))
        if split.numbers is None:
            return self._added(accepted, split.opens, split.late, told)
        taken = split.places[[reason is None for reason in split.reasons]]
        told = [t._replace(place=int(np.searchsorted(taken, t.place))) for t in told]
        return self._added(*self._sorted_out(accepted, split), told)

    def _told(self, accepted: AcceptedRows) -> list[LoneLabel]:
        """The labels that come alone, among the rows that do not."""
        if accepted.alone is None or not accepted.alone.any():
            return []
        assert accepted.keys is not None
        places = np.flatnonzero(accepted.alone)
        labels = self.encoder.label_indices([accepted.labels[i] for i in places]).tolist()
        return [
            LoneLabel(int(i) - n, accepted.keys[i], label if label >= 0 else None)
            for n, (i, label) in enumerate(zip(places, labels, strict=True))
        ]

    def _await(self, accepted: AcceptedRows, opens: Bools, told: Sequence[LoneLabel]) -> None:
        """Registers the labels of rows, and labels that come alone."""
        if self.awaited is None:
            return
        assert accepted.due is not None
        labels = self.encoder.label_indices(accepted.labels)
        self.awaited.take(
            len(accepted), accepted.times, labels, accepted.due, opens, accepted.keys, told
        )

    def _added(
        self, accepted: AcceptedRows, opens: Bools, late: Bools, told: Sequence[LoneLabel] = ()
    ) -> Iterator[Block]:
        rejected = self._rejected_by_row(accepted)
        rows = self.encoder.encode(accepted)
        part = EncodedPart(
            rows, accepted.times, opens, late.astype(np.int64), rejected, accepted.keys
        )
        self.pending.append(part)
        self._await(accepted, opens, told)
        if not part.opens.any():
            return
        joined = EncodedPart.join(self.pending)
        starts = np.flatnonzero(joined.opens)
        last = int(starts[-1])
        self.pending = [joined.cut(last, len(joined.rows))]
        if last > 0:
            yield self._block(joined.cut(0, last), starts)

    def _rejected_by_row(self, accepted: AcceptedRows) -> Ints:
        """Returns the number of rejected rows before each row; later ones wait."""
        counts = accepted.rejected.copy()
        counts[0] += self.rejected
        self.rejected = int(counts[-1])
        return counts[:-1]

    def _sorted_out(
        self, accepted: AcceptedRows, split: Split
    ) -> tuple[AcceptedRows, Bools, Bools]:
        """The rows that are taken, some of which were held aside; which of them open or are late.

        The others are turned away, or held aside from now on.
        """
        assert split.numbers is not None
        first = self.stepper.count - len(accepted)
        place = {number: i for i, number in enumerate(self.held)}
        pool = AcceptedRows.join([*self.held.values(), accepted])
        places = np.array(
            [place.get(n, len(place) + n - first) for n in split.numbers.tolist()], np.int64
        )
        for number, i, reason in zip(split.numbers.tolist(), places, split.reasons, strict=True):
            if reason is not None:
                of, line = self.held.get(number, accepted), int(pool.lines[i])
                problem = Problem(reason)
                unit = unit_at(of.unit, pool.partitions, int(i))
                self.rejections.add(Rejection(of.file, line, unit, self.spec.time, problem))
                if self.awaited is not None and pool.keys is not None:
                    self.awaited.refused(pool.keys[i])
        still = self.stepper.ahead.rows
        none_rejected = np.zeros(2, np.int64)
        self.held = {
            row.number: self.held.get(row.number)
            or pool.pick(np.array([len(place) + row.number - first]), none_rejected)
            for row in still
        }
        is_taken = np.array([reason is None for reason in split.reasons], np.bool_)
        # all that was turned away before each decision, then between those for rows that are taken
        before = np.cumsum(accepted.rejected)
        sums = before[split.places] + np.cumsum(~is_taken)
        everything = before[-1] + (~is_taken).sum()
        rejected = np.diff(np.concatenate([sums[is_taken], [everything]]), prepend=0)
        taken = pool.pick(places[is_taken], rejected)
        return taken, split.opens[is_taken], split.late[is_taken]

    def _block(self, part: EncodedPart, starts: Ints) -> Block:
        firsts = starts[: len(starts) - 1]
        block = Block(
            self.scale.close(part.rows, starts),
            starts,
            part.times,
            self.rows,
            self.steps,
            np.add.reduceat(part.late, firsts),
            np.add.reduceat(part.rejected, firsts),
            part.keys,
        )
        if self.awaited is not None:
            block = replace(block, **self._late(block))
        self.rows += len(block.rows)
        self.steps += block.steps
        return block

    def _late(self, block: Block) -> dict[str, Any]:
        """What a block tells of labels: which steps are complete when its own open."""
        assert self.awaited is not None
        openings = block.first_row + block.starts[:-1]
        outcomes = self.awaited.known_by(block.first_row + len(block.rows) - 1)
        before = self.awaited.completed(openings)
        before = np.append(before, before[-1])
        return {"completions": self.awaited.give_out(before), "outcomes": outcomes}

    def _say(self, text: str) -> None:
        self.reports += 1
        self.report(text)


def packed(state: State) -> State:
    """A maker's state with the rows of the open step, and those held aside, as arrays."""
    pending = state["pending"]
    return state | {
        "pending": EncodedPart.join(pending).state() if pending else None,
        "held": [row.state() for row in state["held"]],
        "sampled": [rows.state() for rows in state["sampled"]],
    }
