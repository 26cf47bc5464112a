"""Steps of which no more rows come, with all that was said of them; labels may be unknown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.algorithm.learning_subroutines import LearningSubroutines
from macro_engine.core.names import Names
from macro_engine.core.rows import Block, Ints, Rows
from macro_engine.strategies import Answer, Forecasts, shown_members


@dataclass(frozen=True, eq=False)
class ClosedSteps:
    """Closed steps in succession.

    Attributes
    ----------
    block
        Their rows.
    result
        What the family decided and predicted, without probabilities.
    called
        Who will learn them.
    answers
        What each strategy said.
    lasts
        The last label that was known when each opened; -1 for none.
    """

    block: Block
    result: FamilyResult
    called: LearningSubroutines
    forecasts: Forecasts
    answers: Mapping[str, Answer]
    lasts: Ints

    @property
    def steps(self) -> int:
        return self.block.steps

    @property
    def first(self) -> int:
        """The number of the first."""
        return self.block.first_step

    @property
    def stop(self) -> int:
        """The number of the one after the last."""
        return self.first + self.steps

    def shown_members(self, names: Names) -> Ints:
        """As `Steps.shown_members`."""
        shown = {name: answer.shown for name, answer in self.answers.items()}
        return shown_members(names, shown, self.steps)

    def cut(self, start: int, stop: int) -> ClosedSteps:
        """Some of the steps, by their numbers in the stream."""
        a, b = start - self.first, stop - self.first
        if a <= 0 and b >= self.steps:
            return self
        starts = self.block.starts
        return ClosedSteps(
            self.block.cut(a, b),
            self.result.cut(a, b, starts),
            self.called.cut(a, b),
            self.forecasts.cut(a, b),
            {name: answer.cut(a, b, starts) for name, answer in self.answers.items()},
            self.lasts[a:b],
        )

    @staticmethod
    def join(parts: Sequence[ClosedSteps]) -> ClosedSteps:
        """Steps that follow each other, as one."""
        if len(parts) == 1:
            return parts[0]
        return ClosedSteps(
            joined_blocks([part.block for part in parts]),
            FamilyResult.join([part.result for part in parts]),
            LearningSubroutines.join([part.called for part in parts]),
            Forecasts.join([part.forecasts for part in parts]),
            {
                name: Answer.join_late([part.answers[name] for part in parts])
                for name in parts[0].answers
            },
            np.concatenate([part.lasts for part in parts]),
        )


def joined_blocks(parts: Sequence[Block]) -> Block:
    """Blocks that follow each other, as one; without what came meanwhile."""
    first = parts[0]
    if len(parts) == 1:
        return first
    times = [part.times for part in parts if part.times is not None]
    late = [part.late for part in parts if part.late is not None]
    rejected = [part.rejected for part in parts if part.rejected is not None]
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    return Block(
        Rows.join([part.rows for part in parts], parts[-1].rows.columns),
        np.concatenate([[0], np.cumsum(lengths)]),
        np.concatenate(times) if times else None,
        first.first_row,
        first.first_step,
        np.concatenate(late) if late else None,
        np.concatenate(rejected) if rejected else None,
        None if first.keys is None else [key for part in parts for key in part.keys or ()],
    )
