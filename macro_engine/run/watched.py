"""A run of another process, viewed through its run file."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.rows import Columns, Ints
from macro_engine.core.state import DamagedError, State, array, child, children, indices
from macro_engine.core.steps import Steps
from macro_engine.options.settings import Settings
from macro_engine.options.table import OPTIONS
from macro_engine.run.alarms.alarms import Change
from macro_engine.run.alarms.checker import AlarmChecker
from macro_engine.run.events import Event
from macro_engine.run.follower import RunFollower
from macro_engine.run.history.history import History
from macro_engine.run.rejected import RejectedReason, reasons_of
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.store.combined_reader import CombinedReader
from macro_engine.run.store.lock import writer_of
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.stored_snapshot import snapshot_of
from macro_engine.run.summary import Summary
from macro_engine.stream.clock_columns import NO_CLOCK, ON, clock_beside
from macro_engine.stream.label import parse_label
from macro_engine.stream.table import Rejections
from macro_engine.subroutines.parameters import MEANS, WEIGHTS, Parameters, column_names

_LOOK_SECONDS = 0.25
_NEEDED = {"history", "eps_power", "features", "categorical", "label", "clock", "subroutine"}


class WatchedRun(RunFollower):
    """The `RunView` of a run file.

    It follows the file as it grows, and outlives its writer.

    Parameters
    ----------
    shown
        Settings by which the run is looked at, in place of its own: `metric` and `class`.
    """

    no_controls = "watching: only the process that runs it controls playback"
    can_note = False
    controls = None
    after_leaving = ""
    writing_seconds = 0.0

    def __init__(self, path: Path, shown: Mapping[str, Any] | None = None) -> None:
        super().__init__(self._follow, "watching")
        self.path = path
        self.shown = dict(shown or {})
        self.seen = Snapshot(words=f"reading {path.name}")
        self.rejections = Rejections()  # as far as they were read
        self.alarm_checker = AlarmChecker(self.alarms)

    @property
    def snapshot(self) -> Snapshot:
        return self.seen

    def abandon(self) -> None:
        """Nothing of the run is in this process."""

    def close(self) -> None:
        if self.store is not None:
            self.store.reader.close()

    @property
    def settings(self) -> dict[str, Any]:
        known = None if self.store is None else self.store.reader.info.get("settings")
        return {**known, **self.shown} if isinstance(known, dict) else {}

    @property
    def guessed(self) -> list[str]:
        known = None if self.store is None else self.store.reader.info.get("guessed")
        return [str(name) for name in known] if isinstance(known, list) else []

    def note(self, events: Sequence[Event]) -> None:
        """Does nothing: watching never writes."""

    def rejected(self) -> list[RejectedReason]:
        """Counted over the rows that are recorded."""
        return reasons_of(self.rejections)

    def summary(self) -> Summary | None:
        """The run in numbers as of the last commit; reasons are counted over the recorded rows."""
        document = None if self.store is None else self.store.reader.info.get("summary")
        if self.store is None or not isinstance(document, dict):
            return None
        try:
            inputs = [str(file.get("name")) for file in children(self.store.reader.info, "input")]
            return Summary.read(document, inputs, self.rejections)
        except DamagedError as error:
            raise MacroError(f"{visible(self.path)} is damaged: {error}") from None

    def parameters(self, member: int, number: int) -> Parameters | None:
        """Returns the parameters of a subroutine at the last commit, if they can be shown."""
        state = None if self.store is None else self.store.reader.state()
        if state is None or "family" not in state:
            return None
        try:
            return _parameters(state, self._settings(), member, number)
        except DamagedError:
            return None

    def updates(self, member: int) -> Ints | None:
        """Returns the number of steps learned by each subroutine of a member at the last commit."""
        state = None if self.store is None else self.store.reader.state()
        if state is None or not isinstance(state.get("family", {}).get("subroutines"), dict):
            return None
        counts = array(
            child(child(state, "family"), "subroutines"), "updates", np.int64, (None,) * 2
        )
        known = len(self.history.births[member]) if self.history else 0
        return counts[member, :known] if member < len(counts) else None

    def _settings(self) -> dict[str, Any]:
        """Returns the settings that the view needs, checked like values from the command line."""
        assert self.store is not None
        settings, checked = child(self.store.reader.info, "settings"), {}
        for name in _NEEDED.intersection(settings):
            try:
                checked[name] = OPTIONS[name].read(settings[name])
            except ValueError as error:
                raise DamagedError(
                    f"{visible(self.path)} is damaged: its setting '{name}': {error}"
                ) from None
        return checked

    def _follow(self) -> None:
        try:
            file = _file_at(self.path)
            reader = RunReader(self.path)
            self.store = CombinedReader(reader)
            while True:
                found = _file_at(self.path)
                if found == file:
                    self._look(reader)
                else:
                    self._lose(is_replaced=found is not None)
                if self.ending.wait(_LOOK_SECONDS):
                    return
        except BaseException as error:  # shown by whoever views the run
            self.error = error

    def _lose(self, is_replaced: bool) -> None:
        """Shows that the file is gone; what was read of it stays visible."""
        what = "was replaced by another run; start watch again" if is_replaced else "is gone"
        words = f"{visible(self.path.name)} {what}"
        self.seen = replace(self.seen, state="gone", words=words, rate=0.0)

    def _look(self, reader: RunReader) -> None:
        """Reads what was committed since the last call."""
        has_looked = self.history is not None
        try:
            reader.refresh()
            if self.history is None and reader.classes and reader.names.members:
                names = reader.names
                self.alarms.check_series(names.series, bool(names.leading))
                self.alarm_checker.alarms = self.alarms
                self.known_steps = reader.steps
                Settings(self.shown).check_class(reader.classes)
                self.history = self._new_history(reader)
            if self.history is not None:
                if 0 < self.history.steps < reader.first_step:  # what follows it was dropped
                    self.history = self._new_history(reader)
                self._catch_up(reader, self.history)
            for rejection in reader.rejected(self.rejections.count):
                self.rejections.add(rejection)
        except MacroError as error:
            if not isinstance(error, DamagedError) and self.history is not None:
                self.seen = replace(self.seen, state="waiting", words=str(error))
                return
            raise
        self.seen = snapshot_of(reader)
        self._tell(self.alarm_checker.look(self.seen, time.time()))
        called = self.alarms.hear(() if self.seen.has_ended else self.seen.alarms)
        if has_looked:  # what called before is shown, and rings nowhere
            self._tell(called)
        if self.seen.has_ended and writer_of(self.path) is not None:
            reader.let_go()

    def _new_history(self, reader: RunReader) -> History:
        power, label = self._settings().get("eps_power"), self.settings.get("label")
        return History(
            reader.names,
            tuple(reader.classes),
            CombinedReader(reader).parts,
            power or 0.0,
            lambda: reader.first_step,
            label if isinstance(label, str) else "",
        )

    def _catch_up(self, reader: RunReader, history: History) -> None:
        steps = reader.steps
        if not history.steps and reader.first_step:
            self._append(history, reader.record_from(reader.first_step))
            self.remarks.append(f"{visible(self.path.name)}: {reader.dropped}")
        while history.steps < steps and not self.ending.is_set():
            self._append(history, reader.record_from(history.steps))

    def _append(self, history: History, results: Steps) -> None:
        history.append(results)
        if results.first_step < self.known_steps:
            self.alarm_checker.take_past(results)
        else:
            self._tell(self.alarm_checker.take(results))

    def _tell(self, changes: Sequence[Change]) -> None:
        for change in changes:
            self.heard(change)


def _file_at(path: Path) -> tuple[int, int] | None:
    """Returns the identity of the file at a path."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _encoded(settings: dict[str, Any]) -> Columns:
    """The columns of a run, but for the values of its categories."""
    features, categorical = settings.get("features") or (), settings.get("categorical") or ()
    clock = NO_CLOCK
    if settings.get("clock") == ON:
        clock = clock_beside([*features, *categorical, parse_label(settings["label"], ()).column])
    return Columns((*features, *clock.numbers), (*categorical, *clock.categories))


def _parameters(
    state: State, settings: dict[str, Any], member: int, number: int
) -> Parameters | None:
    family = child(state, "family")
    if "bank" not in family:  # the general path keeps its learners otherwise
        return None
    columns = _encoded(settings).restored(child(state, "columns"))
    bank, subroutines = child(family, "bank"), child(family, "subroutines")
    weights = array(bank, "weights", np.float64, (None, None, None))
    place = indices(subroutines, "place", (None, None), max(len(weights), 1))
    if member >= len(place) or number > place.shape[1]:
        return None
    values = weights[place[member, number - 1]]
    names = column_names(columns, columns.widths)[: values.shape[1]]
    if settings.get("subroutine") == "nearest-mean":
        return Parameters(MEANS, names, values, np.empty(0))
    intercepts = array(bank, "intercepts", np.float64, (len(weights), None))
    return Parameters(WEIGHTS, names, values, intercepts[place[member, number - 1]])
