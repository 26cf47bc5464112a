"""What a strategy says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.rows import Counts, Floats, Ints, joined


@dataclass(frozen=True, eq=False)
class Answer:
    """What a strategy says of the rows of whole steps.

    Attributes
    ----------
    predictions
        Class indices by rows.
    probabilities
        Rows by classes, with sum 1; None where there are none.
    shown
        What the strategy says that it can show, by name, each by steps.
    kept
        Anything that the strategy wants to see again when the step is complete. Of several steps
        that wait for labels it is `Kept`.
    """

    predictions: Counts
    probabilities: Floats | None = None
    shown: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    kept: Any = None

    @staticmethod
    def join(parts: Sequence[Answer]) -> Answer:
        """Answers to steps that follow each other, as one."""
        return Answer(
            np.concatenate([part.predictions for part in parts]),
            joined([part.probabilities for part in parts], 0),
            {n: np.concatenate([part.shown[n] for part in parts]) for n in parts[0].shown},
        )

    def cut(self, start: int, stop: int, starts: Ints) -> Answer:
        """The answers to some of the steps, which begin at `starts` among the rows."""
        a, b = int(starts[start]), int(starts[stop])
        return Answer(
            self.predictions[a:b],
            None if self.probabilities is None else self.probabilities[a:b],
            {name: shown[start:stop] for name, shown in self.shown.items()},
            None if self.kept is None else self.kept.cut(start, stop, starts),
        )

    @staticmethod
    def join_late(parts: Sequence[Answer]) -> Answer:
        """As `join`, with what was kept of the steps."""
        if len(parts) == 1:
            return parts[0]
        kept = [part.kept for part in parts]
        whole = None if None in kept else kept[0].followed_by(kept[1:])
        return replace(Answer.join(parts), kept=whole)
