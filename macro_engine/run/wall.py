"""Lines about many run files, kept up to date by one thread."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.rows import Ints
from macro_engine.core.steps import Steps
from macro_engine.run.alarms.alarms import Alarms, Change
from macro_engine.run.alarms.checker import AlarmChecker
from macro_engine.run.alarms.rules import Rule
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.stored_snapshot import snapshot_of

BUCKETS = 16  # of the lead lately
LATELY = 512  # steps
_LOOK_SECONDS = 1.0
_SEARCH_SECONDS = 3.0  # between two looks for new files in a folder
_LOOKS_UNCHANGED = 5  # until a file that did not change is read again


@dataclass(frozen=True)
class RunLine:
    """The line of a run on the wall.

    Attributes
    ----------
    trouble
        Why the file cannot be read; empty if it can.
    lead
        By how much the prediction's error lies below the baseline's, as a share of rows.
    lately
        The same for each sixteenth of the last steps; NaN where there are none.
    lag
        How far a live feed's newest row lies behind the clock, in seconds.
    active, member, born
        The active subroutine, of which member, and how many steps ago one was born there; None if
        none was lately.
    alarms
        What calls, in words.
    """

    path: Path
    name: str
    snapshot: Snapshot = field(default_factory=Snapshot)
    trouble: str = ""
    lead: float | None = None
    lately: tuple[float, ...] = ()
    lag: float | None = None
    active: int | None = None
    member: str = ""
    born: int | None = None
    alarms: tuple[str, ...] = ()

    @property
    def urgency(self) -> int:
        """The sort key by urgency: 0 for an alarm or trouble, then silence, a loss, the rest."""
        state = self.snapshot.state
        if self.trouble or self.alarms or state == "failed":
            return 0
        if state in ("gone", "waiting"):
            return 1
        if self.lead is not None and self.lead < 0:
            return 2
        return 4 if self.snapshot.has_ended else 3


class FollowedRun:
    """One run file, read again when it has changed."""

    def __init__(
        self,
        path: Path,
        rules: Sequence[Rule] = (),
        on_change: Callable[[Path, Change], None] | None = None,
    ) -> None:
        self.path = path
        self.line = RunLine(path, visible(path.name, 60))
        self.alarms = Alarms(rules)
        self.alarm_checker = AlarmChecker(self.alarms)
        self.on_change = on_change
        self.reader: RunReader | None = None
        self.steps = -1
        self.recent: Ints = np.zeros((3, 0), np.int64)  # rows, wrong rows of ours and of marginal
        self.active: int | None = None
        self.member = ""
        self.last_birth: int | None = None
        self.seen: object = None
        self.unchanged = 0

    def look(self) -> None:
        """Brings the line up to date."""
        changed = _changed_at(self.path)
        is_over = self.line.snapshot.has_ended and not self.line.trouble
        if changed == self.seen and (is_over or self.unchanged < _LOOKS_UNCHANGED):
            self.unchanged += 1
            return
        self.seen, self.unchanged = changed, 0
        try:
            self._read()
        except MacroError as error:
            self.close()
            self.line = replace(self.line, trouble=str(error))

    def close(self) -> None:
        if self.reader is not None:
            self.reader.close()
            self.reader = None

    def _read(self) -> None:
        reader = self.reader
        if reader is None:
            reader = self.reader = RunReader(self.path)
        else:
            reader.refresh()
        changes = self._catch_up(reader)
        snapshot = snapshot_of(reader)
        changes += self.alarm_checker.look(snapshot, time.time())
        changes += self.alarms.hear(() if snapshot.has_ended else snapshot.alarms)
        if self.on_change is not None:
            for change in changes:
                self.on_change(self.path, change)
        self.line = self._line(reader, snapshot)
        if snapshot.has_ended:
            self.close()

    def _catch_up(self, reader: RunReader) -> list[Change]:
        """Reads the steps since the last look; of a run's past only the last ones."""
        if not reader.classes:
            return []
        stop, is_past = reader.steps, self.steps < 0
        if is_past:
            self.steps = max(reader.first_step, stop - LATELY)
        changes: list[Change] = []
        self.steps = max(self.steps, reader.first_step)  # what follows may have been dropped
        while self.steps < stop:
            results = reader.record_from(self.steps)
            if is_past:
                self.alarm_checker.take_past(results)
            else:
                changes += self.alarm_checker.take(results)
            self._take(results, reader)
            self.steps = results.stop
        return changes

    def _take(self, results: Steps, reader: RunReader) -> None:
        ours, baseline = results.wrong_of(reader.strategy), results.wrong_of("marginal")
        added = np.vstack([results.judged, ours, baseline]).astype(np.int64)
        self.recent = np.concatenate([self.recent, added], axis=1)[:, -LATELY:]
        member = int(results.shown_members[-1])
        self.member = results.names.member_names[member]
        self.active = int(results.active[member, -1])
        births = np.flatnonzero(results.born[member])
        if len(births):
            self.last_birth = results.first_step + int(births[-1])

    def _line(self, reader: RunReader, snapshot: Snapshot) -> RunLine:
        errors = snapshot.errors
        ours, baseline = errors.get(reader.strategy), errors.get("marginal")
        lag = None
        if snapshot.came is not None and snapshot.time is not None and not snapshot.has_ended:
            lag = max(time.time() - snapshot.time / 1e6, 0.0)
        return replace(
            self.line,
            snapshot=snapshot,
            trouble="",
            lead=None if ours is None or baseline is None else baseline - ours,
            lately=self._lately(),
            lag=lag,
            active=self.active,
            member=self.member,
            born=None if self.last_birth is None else self.steps - 1 - self.last_birth,
            alarms=tuple(f"{c.rule.text}: {c.words}" for c in self.alarms.calling),
        )

    def _lately(self) -> tuple[float, ...]:
        steps = self.recent.shape[1]
        if not steps:
            return ()
        edges = np.linspace(0, steps, BUCKETS + 1).astype(int)[:-1] if steps >= BUCKETS else None
        if edges is None:
            rows, ours, baseline = self.recent
        else:
            rows, ours, baseline = np.add.reduceat(self.recent, edges, axis=1)
        return tuple(((baseline - ours) / np.maximum(rows, 1)).tolist())


class Wall:
    """Follows run files in a thread of its own.

    Parameters
    ----------
    paths
        Run files, and folders of which every `*.run` is followed, also those that come later.
    rules, on_change
        What is watched for in each of them, and who is told.
    elsewhere
        Gives lines of runs that these files do not tell of, by the file of the run.

    Attributes
    ----------
    lines
        One for each run, those that need a look first.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        rules: Sequence[Rule] = (),
        on_change: Callable[[Path, Change], None] | None = None,
        elsewhere: Callable[[], dict[Path, RunLine]] = dict,
    ) -> None:
        self.paths = paths
        self.elsewhere = elsewhere
        self.rules = rules
        self.on_change = on_change
        self.runs: dict[Path, FollowedRun] = {}
        self.told: set[Path] = set()  # of what was shown last from elsewhere
        self.lines: tuple[RunLine, ...] = ()
        self.error: BaseException | None = None
        self.ending = threading.Event()
        self.thread = threading.Thread(target=self._follow, name="wall", daemon=True)

    @property
    def rung(self) -> int:
        """The number of raised alarms."""
        return sum(run.alarms.rung for run in self.runs.values())

    def start(self) -> None:
        self.thread.start()

    def stop(self, patience: float) -> bool:
        self.ending.set()
        self.thread.join(patience)
        return not self.thread.is_alive()

    def acknowledge(self, path: Path) -> None:
        """Answers the alarms of a run."""
        if (run := self.runs.get(path)) is not None:
            run.alarms.acknowledge()
            run.seen = None

    def look(self) -> None:
        """Brings all lines up to date."""
        for run in list(self.runs.values()):
            if self.ending.is_set():
                return
            run.look()
        elsewhere = self.elsewhere()
        for path in self.told - elsewhere.keys() - self.runs.keys():
            self._take_up(path)  # its line goes on with its file, without a gap
        self.told = set(elsewhere)
        found = {path: run.line for path, run in self.runs.items()} | elsewhere
        self.lines = tuple(sorted(found.values(), key=lambda line: (line.urgency, line.name)))

    def search(self) -> None:
        """Adds run files that are new in the folders."""
        for named in self.paths:
            found = [named] if named.exists() else []
            if named.is_dir():
                with suppress(OSError):
                    found = sorted(path for path in named.glob("*.run") if path.is_file())
            for path in found:
                if path not in self.runs:
                    self.runs[path] = FollowedRun(path, self.rules, self.on_change)

    def _take_up(self, path: Path) -> None:
        if path.exists():
            self.runs[path] = FollowedRun(path, self.rules, self.on_change)
            self.runs[path].look()

    def _follow(self) -> None:
        try:
            searched = -_SEARCH_SECONDS
            while not self.ending.is_set():
                if not self.runs or time.monotonic() - searched >= _SEARCH_SECONDS:
                    self.search()
                    searched = time.monotonic()
                self.look()
                self.ending.wait(_LOOK_SECONDS)
        except BaseException as error:  # shown by whoever looks at the wall
            self.error = error
        finally:
            for run in self.runs.values():
                run.close()


def _changed_at(path: Path) -> object:
    """Returns a value that changes with every commit to a run file."""
    found: list[tuple[int, int] | None] = []
    for name in (path, path.with_name(f"{path.name}-wal")):
        try:
            status = name.stat()
            found.append((status.st_mtime_ns, status.st_size))
        except OSError:
            found.append(None)
    return tuple(found)
