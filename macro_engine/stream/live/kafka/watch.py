"""Polls the state of the cluster in its own thread, because that may block."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from macro_engine.stream.live.kafka.client import Client, NoTopicError, UnansweredError

_LOOK_SECONDS, _LOOK_AGAIN_SECONDS = 3.0, 0.5
_FAILURES = 2  # looks in succession that nobody answered, until that is trouble


@dataclass(frozen=True)
class Facts:
    """What was found out last.

    Attributes
    ----------
    partitions, headless
        The topic's partitions, and those of them that have no leader.
    trouble
        Why nothing can be read, in a few words; None if it can.
    """

    partitions: tuple[int, ...] = ()
    headless: tuple[int, ...] = ()
    trouble: str | None = None


class Watch:
    """The thread, and the newest facts; it closes the client when it is told to stop.

    Attributes
    ----------
    ranges
        Offset of the first message, and that after the last, of partitions that were asked about;
        who takes them removes them.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.facts = Facts()
        self.asked: set[int] = set()  # partitions whose range is wanted
        self.ranges: dict[int, tuple[int, int]] = {}
        self.failures = 0
        self.is_stopping = False
        self.wake = threading.Event()
        self.thread = threading.Thread(target=self._run, name="kafka", daemon=True)
        client.alarmed = self.wake.set

    def start(self) -> None:
        self.thread.start()

    def ask(self, partition: int) -> None:
        """Have the range of a partition found out."""
        self.ranges.pop(partition, None)
        self.asked.add(partition)
        self.wake.set()

    def stop(self, patience: float) -> None:
        """Close the client; a request that is under way is waited for no longer than that."""
        self.is_stopping = True
        self.wake.set()
        if self.thread.is_alive():
            self.thread.join(patience)

    def _run(self) -> None:
        try:
            while not self.is_stopping:
                self._look()
                again = self.failures or self.asked
                self.wake.wait(_LOOK_AGAIN_SECONDS if again else _LOOK_SECONDS)
                self.wake.clear()
        finally:
            self.client.close()

    def _look(self) -> None:
        try:
            partitions, headless = self.client.partitions()
            for partition in sorted(self.asked):
                self.ranges[partition] = self.client.range_of(partition)
                self.asked.discard(partition)
        except UnansweredError as error:
            self.failures += 1
            if self.failures >= _FAILURES:
                self.facts = Facts(trouble=f"no broker answers ({error})")
            return
        except NoTopicError as error:
            self.failures += 1
            self.facts = Facts(trouble=str(error))
            return
        self.failures = 0
        trouble = "no partition has a leader" if len(headless) == len(partitions) else None
        self.facts = Facts(tuple(partitions), tuple(headless), trouble)
