"""Merges several partitions into one sequence of rows, by time."""

from __future__ import annotations

import heapq
import math
from collections import deque
from collections.abc import Callable, Sequence

from macro_engine.stream.live.kafka.messages import MessageRow

HOLD = 0.1  # seconds that a row waits for earlier ones of partitions that are at their end
PATIENCE = 10.0  # seconds that rows wait for a partition that should have more and gives nothing
MOST_ROWS, MOST_BYTES = 10_000, 1 << 25  # of a partition that is ahead of the others


class Queue:
    """The rows of a partition that were received and not given out.

    Attributes
    ----------
    next
        The offset after the last row that was received.
    is_at_end
        Whether the partition had no more messages when it was last heard of.
    is_waited_for
        Whether rows of other partitions wait for this one's.
    last_key
        The key of the last row that had one.
    """

    def __init__(self, offset: int) -> None:
        self.rows: deque[MessageRow] = deque()
        self.next = offset
        self.bytes = 0
        self.is_at_end = False
        self.is_waited_for = True
        self.last_key = -(1 << 62)

    @property
    def first(self) -> int:
        """The offset of the first message that was not given out."""
        return self.rows[0].offset if self.rows else self.next

    @property
    def is_full(self) -> bool:
        return len(self.rows) >= MOST_ROWS or self.bytes >= MOST_BYTES

    def take(self, rows: Sequence[MessageRow]) -> None:
        """Take at least one row more."""
        self.rows.extend(rows)
        self.next = rows[-1].offset + 1
        self.last_key = rows[-1].key
        self.bytes += sum(row.size for row in rows)
        self.is_at_end = False
        self.is_waited_for = True

    def give(self) -> MessageRow:
        row = self.rows.popleft()
        self.bytes -= row.size
        return row


class Merge:
    """Gives rows out by their keys, which are times.

    A row goes out when every other partition has one that is not earlier, or is at its end and the
    row has waited for `HOLD`. A partition that has more messages and gives none is waited for, no
    longer than `PATIENCE`. Within a partition the order of offsets stands.

    Parameters
    ----------
    say
        Takes a line of text about what happened.
    """

    def __init__(self, say: Callable[[str], None]) -> None:
        self.queues: dict[int, Queue] = {}
        self.say = say
        self.blocked_since: float | None = None

    @property
    def waiting(self) -> int:
        """How many rows were received and not given out."""
        return sum(len(queue.rows) for queue in self.queues.values())

    def release(self, now: float, most: int) -> list[MessageRow]:
        """The rows whose turn it is, at most so many; `now` is in the seconds of their `came`."""
        queues = self.queues
        if len(queues) == 1:
            queue = next(iter(queues.values()))
            return [queue.give() for _ in range(min(most, len(queue.rows)))]
        rows: list[MessageRow] = []
        heads = [(queue.rows[0].key, p) for p, queue in queues.items() if queue.rows]
        heapq.heapify(heads)
        until = self._until(len(heads), now)
        while heads and len(rows) < most and queues[heads[0][1]].rows[0].came <= until:
            p = heads[0][1]
            queue = queues[p]
            rows.append(queue.give())
            if queue.rows:
                heapq.heapreplace(heads, (queue.rows[0].key, p))
            else:
                heapq.heappop(heads)
                until = self._until(len(heads), now)
        if rows or not heads:
            self.blocked_since = None
        return rows

    def _until(self, heads: int, now: float) -> float:
        """Until when the earliest row must have come to go out, where some partitions have none."""
        if heads in (0, len(self.queues)):
            return math.inf
        silent = [p for p, q in self.queues.items() if not q.rows and not q.is_at_end]
        if any(self.queues[p].is_waited_for for p in silent):
            self.blocked_since = now if self.blocked_since is None else self.blocked_since
            if now - self.blocked_since < PATIENCE:
                return -math.inf
            self._go_on_without([p for p in silent if self.queues[p].is_waited_for])
        return now - HOLD

    def _go_on_without(self, silent: list[int]) -> None:
        names = ", ".join(map(str, silent))
        many = len(silent) > 1
        self.say(
            f"partition{'s' * many} {names} {'give' if many else 'gives'} nothing for "
            f"{PATIENCE:.0f} s: continuing without; rows that come later may be late"
        )
        for p in silent:
            self.queues[p].is_waited_for = False
        self.blocked_since = None
