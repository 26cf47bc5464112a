"""The input of a family where labels come late: steps that open while earlier ones complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from macro_engine.algorithm.learning_subroutines import LearningSubroutines
from macro_engine.core.rows import Block, Ints, Rows


@dataclass(frozen=True, eq=False)
class LateBlock:
    """A block whose labels come late, and the steps that are completed meanwhile.

    Attributes
    ----------
    opening
        The steps that open; their labels mean nothing.
    earlier
        Who learns those of the completed steps that had opened before. After them the first of
        the steps of `opening` may be completed too.
    rows, starts
        The labelled rows of the steps that are completed, and where each step begins in them.
    before
        For each step that opens: how many of the others are complete by then. One more at the
        end: how many are in all.
    """

    opening: Block
    earlier: LearningSubroutines
    rows: Rows
    starts: Ints
    before: Ints

    @staticmethod
    def of_nothing_but(opening: Block) -> LateBlock:
        """Steps that open while none is completed."""
        none = np.zeros(1, np.int64)
        before = np.zeros(opening.steps + 1, np.int64)
        return LateBlock(opening, LearningSubroutines.empty(), opening.rows.cut(0, 0), none, before)

    @property
    def completed(self) -> int:
        return len(self.starts) - 1

    def step(self, c: int) -> Rows:
        """The labelled rows of a step that is completed."""
        return self.rows.cut(int(self.starts[c]), int(self.starts[c + 1]))


def late_block(
    opening: Block,
    parts: Sequence[Block],
    earlier: Sequence[LearningSubroutines],
    labels: Ints,
    before: Ints,
) -> LateBlock:
    """Makes a late block from the blocks of all completed steps and the labels of their rows."""
    if not parts:
        return LateBlock.of_nothing_but(opening)
    lengths = np.concatenate([np.diff(part.starts) for part in parts])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    known = np.concatenate([[0], np.cumsum(labels >= 0)])  # rows that have a label
    # categories that were unknown when the steps opened may have come since
    rows = Rows.join([part.rows for part in parts], opening.rows.columns).labelled(labels)
    called = LearningSubroutines.join(earlier) if earlier else LearningSubroutines.empty()
    return LateBlock(opening, called, rows, known[starts], before)
