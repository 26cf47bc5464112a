"""The source of a Kafka topic.

The position is an offset for each partition: that of the first message that was not given out. It
is stored with the results and the state of the rows that were, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic, time
from typing import Any

from macro_engine.core.escape import visible
from macro_engine.core.format import count_text
from macro_engine.core.state import DamagedError, State, children, texts, whole
from macro_engine.stream.formats.dialect import Dialect
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.live.kafka.client import Client
from macro_engine.stream.live.kafka.cluster_poller import ClusterPoller
from macro_engine.stream.live.kafka.merge import Merge, Queue
from macro_engine.stream.live.kafka.messages import (
    CSV,
    JSON,
    CsvFormat,
    Format,
    JsonFormat,
    MessageRow,
)
from macro_engine.stream.source import Source
from macro_engine.stream.spec import StreamSpec
from macro_engine.stream.table import Table
from macro_engine.stream.times import TimeReader

BATCH = 5_000  # messages that are taken at once
_CLOSE_SECONDS = 0.7  # that a request under way may hold up the end
_BEHIND_SECONDS = 0.5  # between two looks at how far behind it is


class KafkaSource(Source):
    """Reads all partitions of a topic.

    Parameters
    ----------
    offsets
        Where to begin, for each partition.
    say
        Takes a line of text about what happened.
    """

    def __init__(
        self,
        client: Client,
        spec: StreamSpec,
        format_: Format,
        offsets: dict[int, int],
        say: Callable[[str], None],
    ) -> None:
        self.client = client
        self.spec = spec
        self.format = format_
        self.name = client.address.topic
        self.say_plainly = say
        self.merge = Merge(self.say)
        self.set_offsets(offsets)
        self.poller = ClusterPoller(client)
        self.has_started = False
        self.lost: set[int] = set()  # partitions whose next offset is not there
        self.paused: set[int] = set()
        self.headless: tuple[int, ...] = ()
        self.time_reader: TimeReader | None = None
        self.facts = self.poller.state
        self.trouble: str | None = None
        self.has_more = False
        self.is_idle = True
        self.behind: int | None = None
        self.looked = -_BEHIND_SECONDS

    def set_offsets(self, offsets: dict[int, int]) -> None:
        self.merge.queues = {p: Queue(offset) for p, offset in sorted(offsets.items())}

    def position(self) -> State | None:
        """Where to read on in each partition, and how messages are read."""
        queues = self.merge.queues
        return {
            "names": self.format.names,
            "format": self.format.kind,
            "partitions": [{"partition": p, "offset": q.first} for p, q in queues.items()],
        }

    def restore(self, position: State) -> None:
        """Continues from a position."""
        kind, names = position.get("format"), texts(position, "names")
        if kind not in (JSON, CSV) or not set(self.format.needed) <= set(names):
            raise DamagedError("in its state the messages are not those of the stream")
        if kind != self.format.kind:
            self.format = made_format(kind, names, self.format.needed, Dialect())
        found = children(position, "partitions")
        self.set_offsets({whole(one, "partition"): whole(one, "offset") for one in found})

    def start(self) -> None:
        """Begin to fetch; whether anybody answers is seen later."""
        if not self.has_started:
            self.has_started = True
            queues = self.merge.queues
            self.client.read_from({p: queue.next for p, queue in queues.items()})
            self.poller.start()

    def poll(self) -> list[Table]:
        """The rows that have come and whose turn it is; none if there are none."""
        self.start()
        self._look_at_cluster()
        batch = BATCH if self.most_rows is None else min(self.most_rows, BATCH)
        messages = self.client.consume(batch)
        came = self._take(messages)
        self._measure()
        now = monotonic()
        rows = self.merge.release(now, batch)
        self._resume_paused()
        waiting = self.merge.waiting
        self.is_idle = not came and not waiting
        self.has_more = len(messages) == batch or len(rows) == batch
        if not rows:
            return []
        self._out_of_trouble()
        table = self.format.table(rows, self.name)
        return [table] if len(table) or table.broken else []

    def close(self) -> None:
        if self.has_started:
            self.poller.stop(_CLOSE_SECONDS)
        else:
            self.client.close()

    def say(self, text: str) -> None:
        self.say_plainly(f"{visible(self.name)}: {text}")

    def _take(self, messages: Sequence[Any]) -> int:
        """Put messages into the queues of their partitions; how many there are."""
        found: dict[int, list[Any]] = {}
        for message in messages:
            if message.error() is None:
                found.setdefault(message.partition(), []).append(message)
            else:
                # what came before it in the same partition is in the queue first
                p = message.partition()
                self._read(p, found.pop(p, []))
                self._failed(message)
        return sum(self._read(p, of_partition) for p, of_partition in found.items())

    def _read(self, p: int, messages: Sequence[Any]) -> int:
        queue, read, now = self.merge.queues.get(p), self.format.read, monotonic()
        if queue is None or p in self.lost:
            return 0
        rows = []
        for message in messages:
            offset = message.offset()
            if offset >= queue.next:  # it is never otherwise
                value = message.value()
                size = 0 if value is None else len(value)
                rows.append(
                    MessageRow(p, offset, read(value), size, now, message.timestamp()[1] * 1_000)
                )
        if not rows:
            return 0
        if len(self.merge.queues) > 1:
            rows = self._with_keys(rows, queue.last_key)
        queue.take(rows)
        if queue.is_full and len(self.merge.queues) > 1 and p not in self.paused:
            self.paused.add(p)
            self.client.pause(p)
        return len(rows)

    def _with_keys(self, rows: list[MessageRow], last: int) -> list[MessageRow]:
        """The rows with the times by which partitions are merged: Kafka's where they have none.

        A row that has none, or one that this machine's clock is far from having reached, comes
        right after the one before it.
        """
        if self.spec.time is None:
            keys = {i: row.key for i, row in enumerate(rows)}
        else:
            place = self.format.needed.index(self.spec.time)
            good = [i for i, row in enumerate(rows) if isinstance(row.fields, list)]
            column = TextColumn([rows[i].fields[place] for i in good])  # type: ignore[index]
            reader = self.time_reader or column.time_reader(self.spec.time_format)
            if column.has_values():
                self.time_reader = reader
            times, problems = column.times(reader)
            keys = {i: int(times[k]) for k, i in enumerate(good) if k not in problems}
        latest = int(1e6 * time()) + self.spec.ahead
        keyed = []
        for i, row in enumerate(rows):
            key = keys.get(i, last)
            last = key if key <= latest else last
            keyed.append(row._replace(key=last))
        return keyed

    def _failed(self, message: Any) -> None:
        """An end of a partition, or something that hinders reading it."""
        p, error = message.partition(), message.error()
        queue = self.merge.queues.get(p)
        if queue is None:
            return
        if self.client.is_end(error):
            queue.is_at_end = True
        elif self.client.is_out_of_range(error):
            self.lost.add(p)
            self.poller.ask(p)
        else:
            self.poller.wake.set()  # it tells what is wrong, if it lasts

    def _look_at_cluster(self) -> None:
        """Take notice of what the watch has found out."""
        for p in sorted(self.lost):
            found = self.poller.ranges.pop(p, None)
            if found is not None:
                self._read_on(p, *found)
        facts = self.poller.state
        if facts is self.facts:
            return
        self.facts = facts
        if facts.trouble is None:
            self._out_of_trouble()
        elif facts.trouble != self.trouble:
            self.trouble = facts.trouble
            self.say(f"{facts.trouble}, waiting")
        for p in facts.partitions:
            if p not in self.merge.queues:
                self.say(f"partition {p} was added: reading it from its beginning")
                self.merge.queues[p] = Queue(0)
                self.client.read_also(p, 0)
        if facts.trouble is None and facts.headless != self.headless:
            self.headless = facts.headless
            names = ", ".join(map(str, facts.headless))
            leaders = f"no leader for partition {names}" if names else "all have a leader again"
            self.say(f"partitions: {leaders}")

    def _read_on(self, p: int, low: int, high: int) -> None:
        """Read a partition on from what is there, where its next message is not."""
        queue = self.merge.queues[p]
        expected = queue.next
        if low <= expected <= high:
            start = expected
        elif expected < low:
            start = low
            self.say(
                f"partition {p}: the messages from offset {expected:,} to {low - 1:,} were deleted "
                f"before they were read: {count_text(low - expected, 'message')} lost at most"
            )
        else:
            start = low
            self.say(
                f"partition {p} ends at offset {high:,} and was read up to {expected:,}: the topic "
                f"was recreated and is read from its beginning"
            )
        self.lost.discard(p)
        queue.next = start
        self.client.read_again(p, start)

    def _resume_paused(self) -> None:
        for p in sorted(self.paused):
            if not self.merge.queues[p].is_full:
                self.paused.discard(p)
                self.client.resume(p)

    def _measure(self) -> None:
        """Find out how many messages wait, without asking anybody."""
        now = monotonic()
        if now - self.looked < _BEHIND_SECONDS:
            return
        self.looked = now
        ends = {p: self.client.end_of(p) for p in self.merge.queues}
        known = [max(end - self.merge.queues[p].first, 0) for p, end in ends.items() if end]
        self.behind = sum(known) if known else None

    def _out_of_trouble(self) -> None:
        if self.trouble is not None:
            self.trouble = None
            self.say("can be read again")


def made_format(kind: str, names: Sequence[str], needed: Sequence[str], dialect: Dialect) -> Format:
    """How messages of a kind are read."""
    if kind == JSON:
        return JsonFormat(names, needed)
    return CsvFormat(names, needed, dialect)
