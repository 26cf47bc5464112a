"""The subroutines that learn each waiting step: J, which is fixed when the step opens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.declared import Declared, Indices
from macro_engine.core.rows import Ints
from macro_engine.core.state import DamagedError, State, boundaries


@dataclass(frozen=True, eq=False)
class LearningSubroutines:
    """J for a sequence of steps.

    Attributes
    ----------
    starts
        Where those of each step begin, and at the end how many there are.
    members, numbers
        The member, of which the last may be the marginal baseline, and the subroutine, from 0.
    """

    starts: Ints
    members: NDArray[np.int32]
    numbers: NDArray[np.int32]

    remembers: ClassVar = Declared(
        Indices("members", ("pairs",), below="lines"),
        Indices("numbers", ("pairs",), below=1 << 31),
    )

    @staticmethod
    def empty() -> LearningSubroutines:
        """Returns an empty sequence of steps."""
        return LearningSubroutines(
            np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.int32)
        )

    @staticmethod
    def of(steps: Sequence[Sequence[tuple[int, int]]]) -> LearningSubroutines:
        """Makes them from pairs of member and subroutine for each step."""
        pairs = np.array([pair for step in steps for pair in step], np.int32).reshape(-1, 2)
        starts = np.cumsum([0, *map(len, steps)])
        return LearningSubroutines(starts, pairs[:, 0].copy(), pairs[:, 1].copy())

    @property
    def steps(self) -> int:
        return len(self.starts) - 1

    def cut(self, start: int, stop: int) -> LearningSubroutines:
        a, b = int(self.starts[start]), int(self.starts[stop])
        return LearningSubroutines(
            self.starts[start : stop + 1] - a, self.members[a:b], self.numbers[a:b]
        )

    def step(self, s: int) -> list[tuple[int, int]]:
        """Returns the pairs of member and subroutine that learn a step."""
        span = slice(int(self.starts[s]), int(self.starts[s + 1]))
        return list(zip(self.members[span].tolist(), self.numbers[span].tolist(), strict=True))

    @staticmethod
    def join(parts: Sequence[LearningSubroutines]) -> LearningSubroutines:
        """Steps that follow each other, as one."""
        if len(parts) == 1:
            return parts[0]
        counts = np.concatenate([np.diff(part.starts) for part in parts])
        return LearningSubroutines(
            np.concatenate([[0], np.cumsum(counts)]),
            np.concatenate([part.members for part in parts]),
            np.concatenate([part.numbers for part in parts]),
        )

    def state(self) -> State:
        return {"starts": self.starts} | self.remembers.state_of(self)

    @staticmethod
    def restored(state: State, steps: int, lines: int) -> LearningSubroutines:
        found = LearningSubroutines.remembers.read(state, lines=lines)
        members, numbers = found["members"].astype(np.int32), found["numbers"].astype(np.int32)
        starts = boundaries(state, "starts", len(members))
        if len(starts) != steps + 1:
            raise DamagedError("in its state the subroutines that learn a step are inconsistent")
        return LearningSubroutines(starts, members, numbers)
