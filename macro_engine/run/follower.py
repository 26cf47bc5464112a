"""The part that both kinds of `RunView` share: a thread that follows a run."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence

from macro_engine.run.alarms.alarms import Alarms, Change, Rule
from macro_engine.run.events import Event
from macro_engine.run.history.history import History
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.store.combined_reader import CombinedReader


def _nobody(_change: Change) -> None:
    """The default listener of alarms: it does nothing."""


class RunFollower:
    """Follows a run in a thread of its own.

    Parameters
    ----------
    follow
        What the thread does; it keeps its error in `error`.
    """

    def __init__(self, follow: Callable[[], None], thread_name: str) -> None:
        self.history: History | None = None
        self.store: CombinedReader | None = None
        self.known_steps = 0
        self.error: BaseException | None = None
        self.remarks: list[str] = []
        self.headline = ""
        self.ending = threading.Event()
        self.thread = threading.Thread(target=follow, name=thread_name, daemon=True)
        self.changes: deque[Change] = deque()  # of alarms, that nobody has asked for yet
        self.set_alarms(())

    @property
    def snapshot(self) -> Snapshot:
        raise NotImplementedError

    @property
    def is_running(self) -> bool:
        return self.thread.is_alive()

    def start(self) -> None:
        self.thread.start()

    def stop(self, patience: float) -> bool:
        self.ending.set()
        self.thread.join(patience)
        return not self.thread.is_alive()

    def events(
        self, kinds: Sequence[str] | None = None, text: str = "", after: int = -1
    ) -> list[tuple[int, Event]]:
        return [] if self.store is None else self.store.events(kinds, text, after)

    def set_alarms(
        self, rules: Sequence[Rule], on_change: Callable[[Change], None] = _nobody
    ) -> None:
        self.alarms = Alarms(rules)
        self.on_change = on_change

    def changed_alarms(self) -> list[Change]:
        changes = []
        while self.changes:
            changes.append(self.changes.popleft())
        return changes

    def heard(self, change: Change) -> None:
        """An alarm was raised or cleared; called in the thread that judges them."""
        self.changes.append(change)
        self.on_change(change)
