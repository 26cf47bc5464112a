"""Expert 4: the family of the run, its members weighted by their likelihood."""

from __future__ import annotations

from collections.abc import Sequence

from macro_engine.blend.fixed_share import FixedShare


class FamilyMean(FixedShare):
    """The mean of the members' probabilities, which the run computes anyway."""

    def __init__(self, members: int) -> None:
        super().__init__([1.0 / members] * members)

    def answer(self, members: Sequence[Sequence[float]]) -> list[float]:
        """Predicts a row from its probabilities, members by classes."""
        p = [0.0] * len(members[0])
        for weight, said in zip(self.weights, members, strict=True):
            for c, value in enumerate(said):
                p[c] += weight * value
        return p
