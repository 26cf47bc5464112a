"""A live stream, from what comes in now to blocks of whole steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic, time
from typing import Protocol

from macro_engine.core.errors import MacroError
from macro_engine.core.format import elapsed_text
from macro_engine.core.rows import Block
from macro_engine.core.state import State, child
from macro_engine.stream.blocks import BlockMaker, Reader, packed
from macro_engine.stream.encode import SAMPLE
from macro_engine.stream.spec import StreamSpec
from macro_engine.stream.table import Rejections, Table

QUIET_SECONDS = 2.0  # without rows, until it is said


class Source(Protocol):
    """Where the rows of a live stream come from."""

    trouble: str | None

    has_more: bool  # whether there is likely something to read at once

    can_be_read_again: bool  # from a position, by a later run

    is_idle: bool  # whether nothing came at the last poll, and nothing is known to wait

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def has_ended(self) -> bool:
        """Whether nothing more will come."""

    def start(self) -> None:
        """Open what is to be read, so that there is a position before the first row."""

    def poll(self) -> list[Table]:
        """The rows that have come; none if there are none."""

    def position(self) -> State | None:
        """Where to read on; None before anything was read."""

    def restore(self, position: State) -> None:
        """Go on from a position."""

    def close(self) -> None:
        """Give back what is open."""


class Feed(Reader):
    """Polls a source and makes blocks of the rows that came.

    Parameters
    ----------
    report, say
        Take a line of text about the stream, and one about what happens to it at this moment.
    close_after
        Seconds of silence after which the open step is closed; None for never. Steps counted in
        rows are closed by rows alone.
    clock, wall
        Seconds that pass, and seconds since 1970.
    """

    def __init__(
        self,
        source: Source,
        spec: StreamSpec,
        rejections: Rejections,
        report: Callable[[str], None],
        say: Callable[[str], None],
        close_after: float | None,
        clock: Callable[[], float] = monotonic,
        wall: Callable[[], float] = time,
    ) -> None:
        self.source = source
        self.rejections = rejections
        self.say = say
        self.close_after = close_after if spec.every.rows is None else None
        self.clock = clock
        self.maker = BlockMaker(spec, rejections, report, lambda: int(wall() * 1e6))
        self.last_came = clock()  # when all that had come was run
        self.came = time()  # when rows last came, by the clock on the wall
        self.has_news = False  # since the last poll

    @property
    def has_ended(self) -> bool:
        return self.source.has_ended

    @property
    def read_all_there_was(self) -> bool:
        """Whether it makes sense to wait before the next poll."""
        return not self.source.has_more

    def poll(self) -> Iterator[Block]:
        """The steps that were closed by what has come, or by silence.

        `state` may be asked for when all of them were taken.
        """
        tables = self.source.poll()
        self.has_news = bool(tables)
        if tables:
            self.came = time()
        for table in tables:
            yield from self.maker.take(table)
        if not self.source.is_idle:  # the time that its rows took to run is no silence
            self.last_came = self.clock()
        if self.source.has_ended:
            yield from self._last()
        elif self.maker.is_full:
            yield from self.maker.close_full_step()
        elif self._is_silent():
            yield from self._close_by_silence()

    def standing(self) -> tuple[str, str]:
        """The state of the feed in a word, and in a few."""
        if self.source.trouble is not None:
            return "waiting", f"{self.source.trouble}, waiting"
        if not self.encoder.fixed:
            return "learning", f"learning the classes {min(self.encoder.sampled, SAMPLE)}/{SAMPLE}"
        quiet = self.clock() - self.last_came
        if quiet >= QUIET_SECONDS:
            return "quiet", f"quiet {elapsed_text(quiet)}"
        return "running", "following"

    def state(self) -> State:
        """Where to read on, with the rows of the open step."""
        return {"position": self.source.position()} | packed(self.maker.state())

    def restore(self, state: State) -> None:
        """Go on from a state; the feed must be new."""
        self.maker.restore(state)
        if state.get("position") is not None:
            self.source.restore(child(state, "position"))

    def close(self) -> None:
        self.source.close()

    def _is_silent(self) -> bool:
        if self.close_after is None or not self.maker.open_rows:
            return False
        return self.clock() - self.last_came >= self.close_after

    def _close_by_silence(self) -> Iterator[Block]:
        quiet = elapsed_text(self.clock() - self.last_came)
        rows = self.maker.open_rows
        self.say(
            f"no rows for {quiet}: step {self.maker.steps} is closed with {rows:,} "
            f"row{'s' * (rows != 1)}"
        )
        self.has_news = True
        yield from self.maker.close_step()

    def _last(self) -> Iterator[Block]:
        yield from self.maker.finish()
        if self.maker.rows == 0:
            count = self.rejections.count
            found = (
                f"none of {count} rows can be used; the first: {self.rejections.first[0]}"
                if count
                else "there are columns, but no rows"
            )
            raise MacroError(f"{self.source.name}: {found}")
