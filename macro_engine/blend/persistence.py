"""Expert 3: what follows the last label, given how often labels stay and where they go."""

from __future__ import annotations

from macro_engine.blend.probability import total

NO_LABEL = -1


class Persistence:
    """No-change with probabilities.

    The label after `last` was counted; two more counts are spread over the classes by how often
    any label stays, and by how frequent the others are. Nothing is forgotten.
    """

    def __init__(self, classes: int) -> None:
        self.last = NO_LABEL  # of the last labelled row of the last step learnt
        self.stay = 1.0
        self.go = 1.0 / classes
        self.counts = [1.0 / classes] * classes
        self.followed = [[0.0] * classes for _ in range(classes)]  # the row is the last label

    def answer(self) -> list[float]:
        classes, last = len(self.counts), self.last
        if last == NO_LABEL:
            return [1.0 / classes] * classes
        stays = self.stay / (self.stay + self.go)
        others = total([count for c, count in enumerate(self.counts) if c != last])
        seen = total(self.followed[last])
        p = []
        for c, count in enumerate(self.counts):
            pool = stays if c == last else (1.0 - stays) * count / others
            p.append((self.followed[last][c] + 2.0 * pool) / (seen + 2.0))
        return p

    def learn(self, last: int, label: int) -> None:
        """Learn a row, given the last label when its step opened."""
        self.counts[label] += 1.0
        if last == NO_LABEL:
            return
        self.followed[last][label] += 1.0
        if label == last:
            self.stay += 1.0
        else:
            self.go += 1.0
