"""Reports a run while it goes on, to its listener and to its run file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from macro_engine.core.steps import Steps
from macro_engine.run.alarms.alarms import Change
from macro_engine.run.events import Event
from macro_engine.run.pipeline import Pipeline
from macro_engine.run.store.recorder import Recorder
from macro_engine.stream.reader import Reader
from macro_engine.stream.table import NO_CLASS, Rejection, Rejections

_READ_AHEAD = 200_000  # rejected rows; more than there are in a table


@dataclass
class Listener:
    """Callbacks of a run; each is optional."""

    progress: Callable[[], None] = lambda: None
    event: Callable[[Event], None] = lambda _event: None
    rejected: Callable[[Rejection], None] = lambda _rejection: None
    remark: Callable[[str], None] = lambda _text: None
    results: Callable[[Steps], None] = lambda _results: None
    alarm: Callable[[Change], None] = lambda _change: None


@dataclass
class UnknownLabel:
    """The first label that is none of the classes, until its step is run.

    `number` is its place among the rejected rows by their lines; a table's are not reported so.
    """

    file: str
    line: int
    number: int
    text: str

    def follows(self, file: str, line: int) -> bool:
        """Whether it comes after another line of its file."""
        return file == self.file and line < self.line


class Report:
    """Tells each thing once, although a resumed run reads some rows again.

    Attributes
    ----------
    recorder
        Writes the run file; None where there is none, or it is closed.
    rejections
        The rows turned away.
    reader, pipeline
        Set when there are any: what is told comes from them.
    known_rejected, known_reports
        How many were told in an earlier session of the run.
    has_news
        Whether anything came, or happened, that the stored state does not have.
    """

    def __init__(self, listener: Listener) -> None:
        self.listener = listener
        self.recorder: Recorder | None = None
        self.rejections = Rejections(self._rejected)
        self.reader: Reader
        self.pipeline: Pipeline
        self.known_rejected = self.known_reports = 0
        self.stranger: UnknownLabel | None = None
        self.places: deque[tuple[str, int]] = deque(maxlen=_READ_AHEAD)  # of rejections before it
        self.has_news = True

    def results(self, results: Steps, events: Sequence[Event]) -> None:
        """Steps have closed, and are recorded already."""
        self.listener.results(results)
        for event in events:
            self.listener.event(event)

    def reported(self, text: str) -> None:
        """The stream has something to say, and says it again when it is read again."""
        if self.reader.reports > self.known_reports:
            self._told("source", text)

    def happened(self, text: str) -> None:
        """Something happened to a live feed just now."""
        self.has_news = True
        self._told("source", text, by_clock=True)

    def of_recorder(self, text: str) -> None:
        """The recorder has something to say."""
        self._told("run", text, by_clock=True)

    def alarmed(self, changes: Sequence[Change]) -> list[Event]:
        """Alarms were raised or cleared; returns the events that tell of them."""
        for change in changes:
            self.listener.alarm(change)
        return [Event(change.step, change.time, "alarm", change.text) for change in changes]

    def alarmed_now(self, changes: Sequence[Change]) -> None:
        """Alarms were raised or cleared outside of the steps."""
        for event in self.alarmed(changes):
            if self.recorder is not None:
                self.recorder.note(event)
            self.listener.event(event)

    def first_unknown_label(self, results: Steps, rejected: int) -> list[Event]:
        """The event of the first label that is none of the classes, once its step is run.

        `rejected` is how many rows were rejected until these steps; a recording is read ahead.
        """
        if self.stranger is None or rejected + int(results.rejected.sum()) < self.stranger.number:
            return []
        number, text = self.stranger.number, self.stranger.text
        self.stranger = None
        place = int(np.searchsorted(rejected + np.cumsum(results.rejected), number))
        times = results.first_times
        time = None if times is None else int(times[place])
        return [Event(results.first_step + place, time, "rejected", text)]

    def note(self, kind: str, text: str) -> None:
        """Record an event of this moment."""
        if self.recorder is not None:
            self.recorder.note(Event(self.pipeline.steps, self.pipeline.time, kind, text))

    def _told(self, kind: str, text: str, by_clock: bool = False) -> None:
        """With the time on the wall, where it is not the stream that says it."""
        when = f"{datetime.now():%Y-%m-%d %H:%M:%S} " if by_clock else ""
        self.note(kind, f"{when}{text}")
        self.listener.remark(text)

    def _rejected(self, rejection: Rejection) -> None:
        number = self.rejections.count
        if rejection.problem.kind.startswith(NO_CLASS) and self.rejections.unknown_labels == 1:
            self._met(rejection, number)
        elif self.stranger is not None:
            self.stranger.number += self.stranger.follows(rejection.file, rejection.line)
        elif not self.rejections.unknown_labels:
            self.places.append((rejection.file, rejection.line))
        if self.recorder is not None:
            self.recorder.reject(number, rejection)
        if number > self.known_rejected:
            self.listener.rejected(rejection)

    def _met(self, rejection: Rejection, number: int) -> None:
        """A label that is none of the classes, for the first time."""
        text = f"a label is none of the classes: {rejection}"
        if self.reader.is_live:
            self.note("rejected", text)
            return
        file, line = rejection.file, rejection.line
        later = sum(other == file and place > line for other, place in self.places)
        self.stranger = UnknownLabel(file, line, number - later, text)
        self.places.clear()
