"""Expert 2: the shares of the classes among recent rows."""

from __future__ import annotations

from macro_engine.blend.probability import normalised

DECAY = 0.5 ** (1 / 20)  # a row counts half after twenty more


class ClassShares:
    def __init__(self, classes: int) -> None:
        self.counts = [1.0 / classes] * classes

    def answer(self) -> list[float]:
        return normalised(self.counts)

    def learn(self, label: int) -> None:
        least = 1e-3 / len(self.counts)
        self.counts = [max(count * DECAY, least) for count in self.counts]
        self.counts[label] += 1.0
