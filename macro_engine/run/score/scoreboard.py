"""The errors of members, strategies and baselines so far."""

from __future__ import annotations

import numpy as np

from macro_engine.core.declared import Array, Declared, Integer
from macro_engine.core.names import Names
from macro_engine.core.rows import Ints
from macro_engine.core.state import State
from macro_engine.core.steps import Steps
from macro_engine.core.tally import Tally, count_pairs
from macro_engine.core.totals import Totals
from macro_engine.run.score.recent_sums import RecentSums


class Scoreboard:
    """Errors of every member, strategy and baseline over all rows so far.

    Attributes
    ----------
    confusion
        Labels by predictions of one strategy: rows.
    recent
        The newest steps.
    """

    remembers = Declared(
        Integer("steps"),
        Array("confusion", np.int64, ("classes", "classes"), low=0),
        Array("subroutines", np.int64, ("members",), low=0),
        Array("differs", np.bool_, ("members",)),
    )

    def __init__(self, names: Names, strategy: str) -> None:
        self.names = names
        self.series_index = names.index(strategy)
        self.steps = 0
        self.confusion = np.zeros((names.classes, names.classes), np.int64)
        self.totals = Totals.nothing(names)
        self.subroutines = np.zeros(len(names.members), np.int64)
        self.recent = RecentSums(names, self.totals.sums)
        # whether a member ever chose or taught others than the member before it, by their numbers
        histories = [member.history for member in names.members]
        pairs = zip([object(), *histories], histories, strict=False)
        self.differs = np.array([before != history for before, history in pairs], np.bool_)

    def update(self, results: Steps) -> None:
        self.steps += results.steps
        labels, predictions = results.labels, results.predictions[self.series_index]
        if results.known is not None:
            labels, predictions = labels[results.known], predictions[results.known]
        self.confusion += count_pairs(labels, predictions, self.names.classes)
        self.totals = results.after
        self.recent.follow(results)
        self.subroutines = results.subroutines[:, -1].astype(np.int64)
        for column in (results.active, results.close):
            if self.differs.all():
                break
            self.differs[1:] |= (column[1:] != column[:-1]).any(axis=1)

    def load_recent(self, results: Steps) -> None:
        """Reads the newest steps from the run file."""
        self.recent = RecentSums(self.names, results.before.sums)
        self.recent.follow(results)

    @property
    def labels(self) -> Ints:
        """Rows of each class."""
        labels: Ints = self.confusion.sum(axis=1)
        return labels

    @property
    def tally(self) -> Tally:
        """The tally of all rows so far."""
        return Tally(self.names, self.totals.sums)

    @property
    def rows(self) -> int:
        return self.totals.rows

    @property
    def errors(self) -> dict[str, float]:
        """Shares of rows, by strategy."""
        return {
            name: int(wrong) / max(self.rows, 1)
            for name, wrong in zip(self.names.series, self.totals.wrong, strict=False)
        }

    @property
    def member_errors(self) -> list[float]:
        return [
            int(wrong) / max(self.rows, 1) for wrong in self.totals.wrong[len(self.names.series) :]
        ]

    @property
    def identical_members(self) -> list[list[str]]:
        """The names of members that did the same in every step, where there are several."""
        groups: list[list[str]] = []
        for name, differs in zip(self.names.member_names, self.differs.tolist(), strict=True):
            if differs or not groups:
                groups.append([])
            groups[-1].append(name)
        return [group for group in groups if len(group) > 1]

    def state(self) -> State:
        return self.remembers.state_of(self) | Totals.remembers.state_of(self.totals)

    def restore(self, state: State) -> None:
        lengths = Totals.lengths(self.names)
        self.totals = Totals(self.names, **Totals.remembers.read(state, **lengths))
        self.remembers.restore(self, state, classes=self.names.classes, **lengths)
        self.recent = RecentSums(self.names, self.totals.sums)
