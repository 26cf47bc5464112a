"""Reads results and events of a run from its file and from the recorder's queue."""

from __future__ import annotations

from collections.abc import Sequence

from macro_engine.core.steps import Steps
from macro_engine.run.events import Event
from macro_engine.run.store.recorder import Recorder
from macro_engine.run.store.runfile import RunReader


class CombinedReader:
    """Reads a run file, and before that from the recorder what waits to be written."""

    def __init__(self, reader: RunReader, recorder: Recorder | None = None) -> None:
        self.reader = reader
        self.recorder = recorder
        if recorder is not None:
            recorder.readers.append(reader)

    @property
    def first_step(self) -> int:
        """The first step that is kept."""
        kept = self.recorder.ledger.first_step if self.recorder else 0
        return max(self.reader.first_step, kept)

    def results(self, start: int, stop: int) -> Steps:
        """Returns the results of the steps from one number up to another."""
        return Steps.between(start, stop, self.parts(start, stop))

    def parts(self, start: int, stop: int) -> list[Steps]:
        """The parts, in order, that have the steps from one number up to another."""
        waiting = self.recorder.pending() if self.recorder else []
        parts = [r for r in waiting if r.stop > start and r.first_step < stop]
        if not parts:
            return self.reader.parts(start, stop)
        written = parts[0].first_step
        kept = self.reader.parts(start, written) if start < written else []
        return [*(part.cut(part.first_step, min(part.stop, written)) for part in kept), *parts]

    def events(
        self,
        kinds: Sequence[str] | None = None,
        text: str = "",
        after: int = -1,
        limit: int | None = None,
    ) -> list[tuple[int, Event]]:
        """Events with their numbers, in order: those after a number, of some kinds, with a text."""
        waiting = self.recorder.pending_events() if self.recorder else []
        found = dict(self.reader.events(kinds, after, limit, text))
        for number, event in waiting:
            is_wanted = kinds is None or event.kind in kinds
            if number > after and is_wanted and text.lower() in event.text.lower():
                found[number] = event
        return sorted(found.items())[:limit]
