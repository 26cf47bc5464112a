"""The recorded past of a run, for any moment and at any zoom.

Memory holds the newest steps and the downsampled run; everything else is read from the run file.
A moment is a number of steps: what held when so many of them had been closed.
"""

from __future__ import annotations

import math
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from macro_engine.algorithm.macro import threshold_at
from macro_engine.core.members import short_names_of
from macro_engine.core.names import Names
from macro_engine.core.rows import Bools, Floats, Ints
from macro_engine.core.steps import PIECE_STEPS, Steps
from macro_engine.core.tally import Tally
from macro_engine.run.history.active_columns import ActiveColumns
from macro_engine.run.history.activity import Activity
from macro_engine.run.history.downsampled import Downsampled, Points
from macro_engine.run.history.usage import Usage
from macro_engine.run.score.lead import situation_text
from macro_engine.run.score.lead_confidence import LeadConfidence
from macro_engine.strategies import STRATEGIES, WEIGHTS
from macro_engine.stream.label import class_titles

NEWEST = 10_000  # steps that are kept in memory
_JOINED = 256  # steps, below which what is kept in memory is joined with what follows
_MOST_ANSWERS = 32  # that `at` keeps
_MOST_READ = 1 << 15  # steps that are read from the file to answer one question


@dataclass(frozen=True, eq=False)
class Moment:
    """One step of the past: how each member decided it, and how it went.

    Attributes
    ----------
    wrong
        Rows of the step that each predictor got wrong.
    active, born, close, subroutines, distance
        One for each member, as in `Steps`.
    list_steps, nearest, distances
        The newest list of the nearest at the step: of which step it is, -1 where there is none,
        and members by 5; a negative distance is a lower bound.
    """

    step: int
    time: int | None
    rows: int
    wrong: Ints
    active: Ints
    born: Bools
    close: Ints
    subroutines: Ints
    distance: Floats
    list_steps: Ints
    nearest: Ints
    distances: Floats


@dataclass(frozen=True, eq=False)
class Situation:
    """The history by which a step was decided: its steps, its rows, and these by class."""

    steps: int
    rows: int
    labels: Ints


@dataclass(frozen=True, eq=False)
class Birth:
    """When a subroutine was started, as a copy of which one, and how far that one was."""

    step: int | None  # None where it is among those that were dropped
    parent: int
    distance: float


class History:
    """Everything that happened so far, fed by `append` and read from any thread.

    Parameters
    ----------
    load
        Gives the results of steps that are no longer in memory.
    power
        By which the thresholds fall.
    label
        The column of labels, or the rule, after which `titles` of classes are called.
    """

    def __init__(
        self,
        names: Names,
        classes: tuple[str, ...],
        load: Callable[[int, int], Sequence[Steps]],
        power: float = 0.0,
        first_kept: Callable[[], int] = lambda: 0,
        label: str = "",
    ) -> None:
        self.names = names
        self.members = names.member_names
        self.short_members = short_names_of(names.members)
        self.classes = classes
        self.titles = class_titles(classes, label)
        self.load = load
        self.power = power
        self.first_kept = first_kept
        self.begin = self.steps = 0
        self.lock = threading.RLock()
        self.newest: deque[Steps] = deque()
        self.downsampled: Downsampled | None = None
        self.births: list[list[Birth]] = [[] for _ in names.members]
        self.usage_of = [Usage(k) for k in range(len(names.members))]
        self.activity = Activity(len(names.members))
        self.columns = ActiveColumns(self.activity, self.results)
        self.evidence = LeadConfidence(names)
        self.situations: dict[tuple[int, int], str] = {}  # at births, in words
        self.asked_at = -1  # how many steps there were when `answers` were given
        self.answers: dict[bytes, Points] = {}

    @property
    def series(self) -> list[str]:
        """The names of all that predict, in order: the series, then the members."""
        return [*self.names.series, *self.members]

    @property
    def strategies(self) -> list[str]:
        """The strategies that are computed."""
        return self.names.strategies

    @property
    def first(self) -> int:
        """The first step that can be told of; those before it were dropped."""
        return max(self.begin, self.first_kept())

    def index(self, series: str) -> int:
        """Returns the index of a strategy or baseline among the series."""
        return self.names.index(series)

    def index_of_member(self, member: int) -> int:
        """Returns the index of a member among the series."""
        return len(self.names.series) + member

    def limit(self, member: int, step: int) -> float:
        """The threshold in force at a step, given the index of the member."""
        return threshold_at(step, self.names.members[member].threshold, self.power)

    def append(self, results: Steps) -> None:
        """Appends the next steps."""
        with self.lock:
            if self.downsampled is None:
                self._begin(results)
            assert results.first_step == self.steps
            assert self.downsampled is not None
            self.downsampled.append(results)
            self.activity.append(results)
            self.evidence.append(results)
            if self.newest and self.newest[-1].steps < _JOINED:
                self.newest[-1] = Steps.join([self.newest[-1], results])
            else:
                self.newest.append(results)
            self.steps = results.stop
            for usage in self.usage_of:
                usage.follow(results)
            while self.steps - self.newest[0].stop >= NEWEST:
                self.newest.popleft()
            for k, s in zip(*np.nonzero(results.born), strict=True):
                step = results.first_step + int(s)
                _, nearest, distances = results.lists_at(step)
                parent, distance = int(nearest[k, 0]), abs(float(distances[k, 0]))
                self.births[k].append(Birth(step, parent, distance))

    def _begin(self, results: Steps) -> None:
        """Stand before the first steps that there are."""
        self.begin = self.steps = results.first_step
        self.downsampled = Downsampled(results)
        known = results.subroutines[:, 0].astype(np.int64) - results.born[:, 0]
        for births, count in zip(self.births, known.tolist(), strict=True):
            births += [Birth(None, 0, math.nan)] * count

    def results(self, start: int, stop: int) -> Steps:
        """The steps from one number up to another, from memory or from the file."""
        return Steps.between(start, stop, self._parts(start, stop))

    def at(self, moments: Ints) -> Points:
        """What held at rising moments, or a little before where they are far apart.

        They are exact where the downsampled run has them, or where few enough steps have to be
        read; the `moments` of the answer say which ones they are.
        """
        with self.lock:
            if self.downsampled is None:
                return Points.beginning(self.names, False).take(moments * 0)
            if self.asked_at != self.steps:
                self.asked_at, self.answers = self.steps, {}
            key = moments.tobytes()
            if key not in self.answers:  # the pictures of a frame ask for the same moments
                if len(self.answers) >= _MOST_ANSWERS:
                    self.answers.clear()
                self.answers[key] = self._at(np.clip(moments, self.begin, self.steps))
            return self.answers[key]

    def _at(self, moments: Ints) -> Points:
        with self.lock:
            assert self.downsampled is not None
            points = self.downsampled.points()
            places = np.searchsorted(points.moments, moments, side="right") - 1
            rough = points.moments[places] != moments
            is_new = moments > self.newest[0].first_step
            found = points.take(places)
            for wanted in (np.flatnonzero(rough & is_new), np.flatnonzero(rough & ~is_new)):
                wanted = wanted[moments[wanted] > self.first]
                if len(wanted) and moments[wanted[-1]] - moments[wanted[0]] < _MOST_READ:
                    for part in self._parts(int(moments[wanted[0]]) - 1, int(moments[wanted[-1]])):
                        steps = moments[wanted] - 1 - part.first_step
                        here = (steps >= 0) & (steps < part.steps)
                        found.put(wanted[here], Points.after_steps(part, steps[here]))
            return found

    def errors(self, moments: Ints, window: int | None) -> Floats:
        """Series by moments: the share of rows wrong in the last `window` steps, or in all.

        NaN where there are no rows.
        """
        now = self.at(moments)
        if window is None:
            wrong, rows = now.wrong, now.rows
        else:
            before = self.at(np.maximum(moments - window, 0))
            wrong, rows = now.wrong - before.wrong, now.rows - before.rows
        with np.errstate(invalid="ignore", divide="ignore"):
            errors: Floats = np.where(rows > 0, wrong / rows, np.nan)
        return errors

    def tally(self, moments: Ints, window: int | None) -> Tally:
        """The sums over the rows of the last `window` steps before each moment, or of all."""
        now = Tally(self.names, self.at(moments).sums)
        if window is None:
            return now
        return now - Tally(self.names, self.at(np.maximum(moments - window, 0)).sums)

    def window(self, moments: Ints, wished: int) -> int:
        """The least window, from the wished one on, for which `errors` has exactly its steps."""
        is_read = int(moments[-1] - moments[0]) < _MOST_READ
        return (
            wished if is_read or self.downsampled is None else max(wished, self.downsampled.stride)
        )

    def weights(self, moments: Ints) -> Floats | None:
        """The members' weights at some moments, members by moments; None if no strategy has any."""
        strategy, points = self.names.weighing, self.at(moments)
        if lines := self.names.lines_of(WEIGHTS).get(strategy):
            return np.nan_to_num(points.shown[lines])
        if strategy not in STRATEGIES:
            return None
        return STRATEGIES[strategy].weights_by_losses(points.losses, points.moments)

    def moment(self, step: int) -> Moment:
        """Returns the decisions and the results of a step."""
        part = self._parts(step, step + 1)[0]
        place = step - part.first_step
        list_steps, nearest, distances = self._lists(step)
        first_row = int(part.lengths[:place].sum(dtype=np.int64))
        return Moment(
            step=step,
            time=None if part.times is None else int(part.times[first_row]),
            rows=int(part.lengths[place]),
            wrong=part.wrong[:, place].astype(np.int64),
            active=part.active[:, place].astype(np.int64),
            born=part.born[:, place],
            close=part.close[:, place].astype(np.int64),
            subroutines=part.subroutines[:, place].astype(np.int64),
            distance=part.distance[:, place],
            list_steps=list_steps,
            nearest=nearest,
            distances=distances,
        )

    def _lists(self, step: int) -> tuple[Ints, Ints, Floats]:
        """The newest list of the nearest of each member at a step, as `Steps.lists_at`."""
        part = self._parts(step, step + 1)[0]
        steps, nearest, distances = part.lists_at(step)
        first = max(self.first, step - PIECE_STEPS)
        while (steps < 0).any() and part.first_step > first:  # a record was read in pieces
            before = part.first_step - 1
            part = self._parts(before, before + 1)[0]
            earlier = part.lists_at(before)
            missing = steps < 0
            for mine, theirs in zip((steps, nearest, distances), earlier, strict=True):
                mine[missing] = theirs[missing]
        return steps, nearest, distances

    def situation(self, step: int, member: int) -> Situation:
        """A member's history before a step, at most some thousand steps of it."""
        wanted = self.names.members[member].history
        length = min(wanted, step) if isinstance(wanted, int) else step
        first = max(step - min(length, NEWEST), self.first)
        if step <= first:
            return Situation(0, 0, np.zeros(len(self.classes), np.int64))
        rows, labels = 0, np.zeros(len(self.classes), np.int64)
        for part in self._parts(first, step):
            found = part.labels_between(max(first, part.first_step), min(step, part.stop))
            rows, labels = rows + found[0], labels + found[1]
        return Situation(step - first, rows, labels)

    def situation_at_birth(self, member: int, number: int) -> str:
        """The history by which a subroutine was born, in words; empty where it is not known."""
        if (member, number) not in self.situations:
            birth = self.births[member][number - 1].step
            if birth is None or birth < self.first:
                return ""
            found = self.situation(birth, member)
            order = np.argsort(-found.labels, kind="stable")[:4].tolist()
            shares = [(c, int(found.labels[c]) / found.rows) for c in order if found.labels[c]]
            self.situations[member, number] = situation_text(shares, self.titles)
        return self.situations[member, number]

    def usage(self, member: int, moment: int) -> Usage:
        """The usage of each subroutine of a member until a moment."""
        with self.lock:
            return self.usage_of[member].at(moment, self.results, self.first)

    def most_used(self, member: int, count: int) -> list[int]:
        """The subroutines of a member that were active most often until now, in their order."""
        with self.lock:
            uses = self.usage_of[member].uses
            return sorted((1 + np.argsort(-uses[1:], kind="stable")[:count]).tolist())

    def confidence(self, moment: int, strategy: str) -> tuple[float, float]:
        """Between what a strategy's lead lies, in points, at a moment or a little before."""
        with self.lock:
            return self.evidence.at(moment, strategy)

    def most_active(self, edges: Ints, stop: int) -> tuple[Ints, Floats]:
        """Returns the subroutine active in most steps, members by columns, and its share."""
        with self.lock:
            return self.columns.most_active(edges, self.first, stop)

    def active_shares(self, member: int, numbers: Sequence[int], edges: Ints, stop: int) -> Floats:
        """Some subroutines of a member by columns: in what share of the steps each was active."""
        with self.lock:
            return self.columns.shares_of(member, numbers, edges, self.first, stop)

    def step_at_time(self, time: int) -> int:
        """The first step whose first row has the time or a later one."""
        with self.lock:
            if self.downsampled is None or self.downsampled.points().times is None:
                return 0
            whole = self.downsampled.points()
            assert whole.times is not None
            times = np.maximum.accumulate(whole.times[1:]) if self.steps else whole.times[1:]
            place = int(np.searchsorted(times, time, side="left"))
            first = max(int(whole.moments[place]), self.first)
            stop = min(first + 2 * self.downsampled.stride, self.steps)
            if first >= stop:
                return max(self.steps - 1, 0)
            found = self.results(first, stop).first_times
            assert found is not None
            within = int(np.searchsorted(np.maximum.accumulate(found), time, side="left"))
            return min(first + within, self.steps - 1)

    def step_of_row(self, row: int) -> int:
        """The step that has a row of the stream, or the last one."""
        with self.lock:
            if self.downsampled is None:
                return 0
            whole = self.downsampled.points()
            place = max(int(np.searchsorted(whole.rows, row, side="right")) - 1, 0)
            first = max(int(whole.moments[place]), self.first)
            stop = min(first + 2 * self.downsampled.stride, self.steps)
            if first >= stop:
                return max(self.steps - 1, 0)
            results = self.results(first, stop)
            ends = results.first_row + results.starts[1:]
            return min(first + int(np.searchsorted(ends, row, side="right")), self.steps - 1)

    def _parts(self, start: int, stop: int) -> Sequence[Steps]:
        """From memory or from the file, the parts that have some steps."""
        with self.lock:
            if self.newest and start >= self.newest[0].first_step:
                return [r for r in self.newest if r.stop > start and r.first_step < stop]
            return self.load(start, stop)
