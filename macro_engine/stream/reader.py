"""Reads a stream: polls its source and makes blocks of whole steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from time import monotonic, time

from macro_engine.core import plugins
from macro_engine.core.errors import MacroError
from macro_engine.core.format import elapsed_text
from macro_engine.core.rows import Block
from macro_engine.core.state import State, child, pack
from macro_engine.stream.block_maker import BlockMaker, packed
from macro_engine.stream.encode import SAMPLE, Encoder
from macro_engine.stream.label_file import LabelFile
from macro_engine.stream.source import Say, Source
from macro_engine.stream.spec import StreamSpec
from macro_engine.stream.table import Rejections

PLAYING, FOLLOWING = "playing", "following"
QUIET_SECONDS = 2.0  # without rows, until it is said
MANY_BEHIND = 1_000  # messages that wait, from which on it is said
FIRST_ROWS = 200  # of a poll, before it is known how fast rows are run
POLL_SECONDS = 0.25  # that the rows of a poll should take to be run: commits come between polls


class Reader:
    """Polls a source and makes blocks of the rows that came.

    Parameters
    ----------
    rejections
        Where rows that cannot be used are reported.
    report, say
        Take a line of text about the stream, and one about what happens to it at this moment.
    close_after
        Seconds of silence after which the open step is closed; None for never. Steps counted in
        rows are closed by rows alone.
    clock, wall
        Seconds that pass, and seconds since 1970.
    labels
        A second file from which labels come, beside a live stream.

    Attributes
    ----------
    is_live
        Whether rows arrive as they are produced; else it is a recording.
    can_commit
        Whether `state` may be asked for now.
    came
        When rows last came, by the clock on the wall.
    has_news
        Whether anything came with the last poll.
    """

    def __init__(
        self,
        source: Source,
        spec: StreamSpec,
        rejections: Rejections,
        report: Say = lambda _text: None,
        say: Say = lambda _text: None,
        close_after: float | None = None,
        clock: Callable[[], float] = monotonic,
        wall: Callable[[], float] = time,
        labels: LabelFile | None = None,
    ) -> None:
        self.labels = labels
        self.source = source
        self.rejections = rejections
        self.say = say
        self.is_live = not source.ends
        self.close_after = close_after if self.is_live and spec.every.rows is None else None
        self.clock = clock
        now = (lambda: int(wall() * 1e6)) if self.is_live else None
        self.maker = BlockMaker(spec, rejections, report, now)
        self.last_came = clock()  # when all that had come was run
        self.came = time()
        self.trouble_since: float | None = None  # by the clock on the wall
        self.has_news = False
        self.taken = 0  # rows that `poll` has and that were not all run
        self.rows_before = 0  # how many were given out when it took them
        self.can_commit = True
        if self.is_live:
            source.most_rows = FIRST_ROWS
        # where all that was read had become blocks: a recording gives the blocks after it again
        self.mark = self._state()

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

    @property
    def thresholds(self) -> list[float] | None:
        """Those that were found in the first rows, where they are taken from there."""
        return self.maker.thresholds

    @property
    def held(self) -> int:
        """How many rows are held aside now, because they lie far ahead."""
        return len(self.maker.held)

    @property
    def behind(self) -> int | None:
        """How many rows of a live feed wait, there or here, about; None if unknown."""
        there = self.source.behind
        if there is None:
            return None
        run = self.maker.rows - self.rows_before + self.maker.open_rows
        return there + max(self.taken - run, 0)

    @property
    def doing(self) -> str:
        """The activity of the reader, in a few words."""
        if not self.is_live:
            return PLAYING
        behind = self.behind or 0
        return FOLLOWING if behind < MANY_BEHIND else f"{FOLLOWING}, {behind:,} rows behind"

    def blocks(self) -> Iterator[Block]:
        """All steps of a recording."""
        while not self.source.has_ended:
            yield from self.poll()

    def poll(self) -> Iterator[Block]:
        """The steps that were closed by what has come, or by silence."""
        self.can_commit = not self.is_live
        started_at = self.clock()
        with self._failing_in_words():
            tables = self.source.poll()
            plugins.expect(tables, list, f"the source {self.source.name}: what it polled")
        self.has_news = bool(tables) or self.source.has_ended
        if tables:
            self.came = time()
        if self.source.trouble is None:
            self.trouble_since = None
        elif self.trouble_since is None:
            self.trouble_since = time()
        self.taken, self.rows_before = sum(map(len, tables)), self.rows
        for table in tables:
            if table.begins_file:
                self.encoder.time_reader = None
            yield from self.maker.take(table)
        self.taken = 0
        if tables or not self.source.is_idle:  # the time that its rows took to run is no silence
            self.last_came = self.clock()
        if self.source.has_ended:
            yield from self._last()
        elif self.is_live and self.maker.is_full:
            yield from self.maker.close_full_step()
        elif self._is_silent():
            yield from self._close_by_silence()
        if self.is_live and not self.source.has_ended:
            labels = self._take_labels()
            yield from self.maker.completed()
            self._set_most_rows(sum(map(len, tables)) + labels, self.clock() - started_at)
        if not self.is_live:
            self.mark = self._state()
        self.can_commit = True

    def _take_labels(self) -> int:
        """Take what came in a second file; how many labels."""
        if self.labels is None:
            return 0
        count = 0
        for keys, labels in self.labels.poll(self.source.most_rows):
            self.has_news = True
            self.maker.tell_labels(keys, labels)
            count += len(labels)
        return count

    def _set_most_rows(self, rows: int, seconds: float) -> None:
        """Ask for as many rows as are run in a moment, as the last ones were."""
        if rows:
            most = int(rows / max(seconds, 1e-6) * POLL_SECONDS)
            self.source.most_rows = max(1, min(most, 2 * (self.source.most_rows or rows)))

    def standing(self) -> tuple[str, str]:
        """The state of the stream in a word, and in a few."""
        if not self.is_live:
            return "running", PLAYING
        if self.source.trouble is not None:
            for_long = elapsed_text(time() - (self.trouble_since or time()))
            return "waiting", f"{self.source.trouble} for {for_long}, waiting"
        if not self.encoder.fixed:
            return "learning", f"learning the classes {min(self.encoder.sampled, SAMPLE)}/{SAMPLE}"
        if self.maker.scratch is not None:
            rows = sum(map(len, self.maker.sampled))
            return "learning", f"learning the thresholds, {rows:,} rows so far"
        quiet = self.clock() - self.last_came
        if quiet >= QUIET_SECONDS:
            return "quiet", f"quiet {elapsed_text(quiet)}"
        return "running", self.doing

    def state(self) -> State:
        """Where to read on, with the rows of the open step.

        Whoever goes on with a recording gets some of the blocks again.
        """
        return packed(self._state() if self.is_live else self.mark)

    def restore(self, state: State) -> None:
        """Go on from a state; the reader must be new."""
        self.maker.restore(state)
        if state.get("position") is not None:
            with self._failing_in_words():
                self.source.restore(child(state, "position"))
        if self.labels is not None and state.get("labels") is not None:
            self.labels.restore(child(state, "labels"))
        self.mark = self._state()

    def close(self) -> None:
        self.source.close()
        if self.labels is not None:
            self.labels.close()

    def _state(self) -> State:
        with self._failing_in_words():
            position = self.source.position()
            if not plugins.is_own(self.source):
                pack(position or {})
        labels = None if self.labels is None else self.labels.position()
        return {"position": position, "labels": labels} | self.maker.state()

    def _failing_in_words(self) -> AbstractContextManager[None]:
        return plugins.failing_in_words(self.source, f"the source {self.source.name}")

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
