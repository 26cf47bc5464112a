"""Polls the state of the cluster in its own thread, because that may block."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from macro_engine.stream.live.kafka.client import Client, NoTopicError, UnansweredError

_LOOK_SECONDS, _LOOK_AGAIN_SECONDS = 3.0, 0.5
_FAILURES = 2  # polls in succession without an answer, until that is trouble


@dataclass(frozen=True)
class ClusterState:
    """The state of the cluster at the last poll.

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


class ClusterPoller:
    """Polls the cluster in a thread, which closes the client after `stop`.

    Attributes
    ----------
    state
        The result of the last poll.
    ranges
        The offset of the first message, and the one after the last, of requested partitions; the
        reader removes them.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.state = ClusterState()
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
        """Requests the range of a partition."""
        self.ranges.pop(partition, None)
        self.asked.add(partition)
        self.wake.set()

    def stop(self, patience: float) -> None:
        """Closes the client; waits up to `patience` seconds for a running request."""
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
                self.state = ClusterState(trouble=f"no broker answers ({error})")
            return
        except NoTopicError as error:
            self.failures += 1
            self.state = ClusterState(trouble=str(error))
            return
        self.failures = 0
        trouble = "no partition has a leader" if len(headless) == len(partitions) else None
        self.state = ClusterState(tuple(partitions), tuple(headless), trouble)
