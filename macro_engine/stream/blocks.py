"""From tables of raw rows to blocks of whole steps, for recorded and live streams alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from macro_engine.rows import Block, Bools, Columns, Ints, Rows
from macro_engine.state import DamagedError, State, array, child, whole
from macro_engine.stream.encode import Accepted, Encoder
from macro_engine.stream.spec import StreamSpec
from macro_engine.stream.steps import LATE_IN_SUCCESSION, Stepper
from macro_engine.stream.table import Problem, Rejection, Rejections, Table
from macro_engine.stream.times import iso


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
        self.encoder = Encoder(spec, rejections, self._say)
        self.stepper = Stepper(spec.every, spec.reject_late, self._report_reset)
        self.rows = 0  # given out in blocks
        self.steps = 0
        self.pending: list[Part] = []  # begins with the open step's first row
        self.rejected = 0  # before the next accepted row
        self.reports = 0

    @property
    def open_rows(self) -> int:
        """How many rows the open step has."""
        return sum(len(part.rows) for part in self.pending)

    @property
    def is_full(self) -> bool:
        """Whether the open step is counted in rows and has all of them."""
        return self.spec.every.rows is not None and self.stepper.rows == 0 and self.open_rows > 0

    def open_step(self) -> Rows:
        """The rows of the open step."""
        self.pending = [Part.join(self.pending)] if self.pending else []
        return self.pending[0].rows if self.pending else Rows.join([], self.encoder.columns)

    def take(self, table: Table) -> Iterator[Block]:
        """The steps that the rows of a table close; the open one is kept."""
        for accepted in self.encoder.take(table):
            yield from self._closed(accepted)

    def finish(self) -> Iterator[Block]:
        """The rows still held back, and the last step."""
        for accepted in self.encoder.finish():
            yield from self._closed(accepted)
        yield from self.close_step()

    def close_full_step(self) -> Iterator[Block]:
        """Close the open step; what was turned away since its last row is of the next one."""
        rejected, self.rejected = self.rejected, 0
        yield from self.close_step()
        self.rejected = rejected

    def close_step(self) -> Iterator[Block]:
        """Close the open step, if there is one."""
        self.stepper.close()
        if not self.open_rows:
            return
        last = Part.join(self.pending)
        rejected = last.rejected.copy()  # what others hold of the open step stays as it is
        rejected[-1] += self.rejected
        last = replace(last, rejected=rejected)
        self.rejected = 0
        self.pending = []
        yield self._block(last, np.append(np.flatnonzero(last.opens), len(last.rows)))

    def state(self) -> State:
        """What must be remembered to go on; `packed` makes it one that can be stored."""
        return {
            "rows": self.rows,
            "steps": self.steps,
            "encoder": self.encoder.state(),
            "stepper": self.stepper.state(),
            "rejections": self.rejections.state(),
            "reports": self.reports,
            "rejected": self.rejected,
            "pending": list(self.pending),
        }

    def restore(self, state: State) -> None:
        """Go on from a state; the maker must be new."""
        self.rows, self.steps = whole(state, "rows"), whole(state, "steps")
        self.encoder.restore(child(state, "encoder"))
        self.stepper.restore(child(state, "stepper"))
        self.rejections.restore(child(state, "rejections"))
        self.rejected = whole(state, "rejected")
        self.reports = whole(state, "reports")
        if state.get("pending") is not None:
            classes = len(self.encoder.classes or ())
            part = Part.restored(child(state, "pending"), self.encoder.columns, classes)
            if (part.times is None) != (self.spec.time is None):
                raise DamagedError("in its state the open step's times are missing")
            self.pending = [part]

    def _closed(self, accepted: Accepted) -> Iterator[Block]:
        """The steps that these rows close; the open one is kept."""
        split = self.stepper.split(accepted.times, len(accepted))
        late, opens = split.late, split.opens
        if split.turned_away.any():
            accepted = self._turn_away(accepted, split.turned_away)
            late, opens = late[~split.turned_away], opens[~split.turned_away]
        rejected = self._rejected_by_row(accepted)
        rows = self.encoder.encode(accepted)
        part = Part(rows, accepted.times, opens, late.astype(np.int64), rejected)
        self.pending.append(part)
        if not part.opens.any():
            return
        joined = Part.join(self.pending)
        starts = np.flatnonzero(joined.opens)
        last = int(starts[-1])
        self.pending = [joined.cut(last, len(joined.rows))]
        if last > 0:
            yield self._block(joined.cut(0, last), starts)

    def _rejected_by_row(self, accepted: Accepted) -> Ints:
        """How many rows were turned away before each row; those after the last one wait."""
        counts = accepted.rejected.copy()
        counts[0] += self.rejected
        self.rejected = int(counts[-1])
        return counts[:-1]

    def _turn_away(self, accepted: Accepted, late: Bools) -> Accepted:
        problem = Problem("comes late (--late join would take it)")
        for line in accepted.lines[late].tolist():
            self.rejections.add(
                Rejection(accepted.file, line, accepted.unit, self.spec.time, problem)
            )
        return accepted.where(~late)

    def _block(self, part: Part, starts: Ints) -> Block:
        firsts = starts[: len(starts) - 1]
        block = Block(
            part.rows,
            starts,
            part.times,
            self.rows,
            self.steps,
            np.add.reduceat(part.late, firsts),
            np.add.reduceat(part.rejected, firsts),
        )
        self.rows += len(block.rows)
        self.steps += block.steps
        return block

    def _report_reset(self, window: int) -> None:
        assert self.spec.every.microseconds is not None
        time = iso(window * self.spec.every.microseconds)
        self._say(f"{LATE_IN_SUCCESSION} late rows in succession: the clock goes back to {time}")

    def _say(self, text: str) -> None:
        self.reports += 1
        self.report(text)


class Reader:
    """Something that makes blocks of the rows that it reads."""

    maker: BlockMaker

    @property
    def encoder(self) -> Encoder:
        return self.maker.encoder

    @property
    def rows(self) -> int:
        """How many were given out in blocks."""
        return self.maker.rows

    @property
    def steps(self) -> int:
        """How many were given out in blocks."""
        return self.maker.steps

    @property
    def reports(self) -> int:
        """How many lines were reported."""
        return self.maker.reports

    @property
    def late(self) -> int:
        return self.maker.stepper.late


def packed(state: State) -> State:
    """A maker's state with the open step's rows as arrays."""
    pending = state["pending"]
    return state | {"pending": Part.join(pending).state() if pending else None}


@dataclass(frozen=True)
class Part:
    """Encoded rows; which of them open a step or came late, and how many were rejected before."""

    rows: Rows
    times: Ints | None
    opens: Bools
    late: Ints
    rejected: Ints

    @staticmethod
    def join(parts: Sequence[Part]) -> Part:
        if len(parts) == 1:
            return parts[0]
        times = [part.times for part in parts if part.times is not None]
        return Part(
            Rows.join([part.rows for part in parts], parts[-1].rows.columns),
            np.concatenate(times) if times else None,
            np.concatenate([part.opens for part in parts]),
            np.concatenate([part.late for part in parts]),
            np.concatenate([part.rejected for part in parts]),
        )

    def state(self) -> State:
        return self.rows.state() | {
            "times": self.times,
            "opens": self.opens,
            "late": self.late,
            "rejected": self.rejected,
        }

    @staticmethod
    def restored(state: State, columns: Columns, classes: int) -> Part:
        rows = Rows.restored(state, columns, classes)
        n = len(rows)
        return Part(
            rows,
            None if state.get("times") is None else array(state, "times", np.int64, (n,)),
            array(state, "opens", np.bool_, (n,)),
            array(state, "late", np.int64, (n,)),
            array(state, "rejected", np.int64, (n,)),
        )

    def cut(self, start: int, stop: int) -> Part:
        times = None if self.times is None else self.times[start:stop]
        return Part(
            self.rows.cut(start, stop),
            times,
            self.opens[start:stop],
            self.late[start:stop],
            self.rejected[start:stop],
        )
