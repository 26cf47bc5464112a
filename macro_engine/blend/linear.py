"""Expert 1: logistic regression with a constant learning rate."""

from __future__ import annotations

from collections.abc import Sequence

from macro_engine.blend.probability import by_class, sigmoid, targets


class Linear:
    """One model for the second of two classes, or one for each class; all weights start at 0.

    The step is 1/m, where m is the mean of 1 + sum x^2 + number of categories over all rows so
    far: the squared length of a row with its bias and its one-hot columns.
    """

    def __init__(self, models: int, numbers: int, categories: int) -> None:
        self.bias = [0.0] * models
        self.numbers = [[0.0] * numbers for _ in range(models)]
        # by model and category; a code that was never learned weighs 0
        self.codes: list[list[dict[int, float]]] = [
            [{} for _ in range(categories)] for _ in range(models)
        ]
        self.rows = 0
        self.squares = 0.0

    def margins(self, numbers: Sequence[float], codes: Sequence[int]) -> list[float]:
        """The bias, then the numbers, then the categories, added up for each model."""
        margins = []
        for bias, weights, by_code in zip(self.bias, self.numbers, self.codes, strict=True):
            z = bias
            for weight, x in zip(weights, numbers, strict=True):
                z += weight * x
            for known, code in zip(by_code, codes, strict=True):
                z += known.get(code, 0.0)
            margins.append(z)
        return margins

    def answer(self, numbers: Sequence[float], codes: Sequence[int]) -> list[float]:
        return by_class(self.margins(numbers, codes))

    def count(self, numbers: Sequence[float], codes: Sequence[int]) -> None:
        """Adds the length of a row to the mean, when its step closes."""
        self.squares += _added(1.0 + len(codes), numbers)
        self.rows += 1

    def learn(self, numbers: Sequence[float], codes: Sequence[int], label: int) -> None:
        rate = self.rows / self.squares
        margins = self.margins(numbers, codes)
        for m, target in enumerate(targets(label, len(margins))):
            step = rate * (sigmoid(margins[m]) - target)
            self.bias[m] -= step
            for a, x in enumerate(numbers):
                self.numbers[m][a] -= step * x
            for known, code in zip(self.codes[m], codes, strict=True):
                known[code] = known.get(code, 0.0) - step


def _added(start: float, numbers: Sequence[float]) -> float:
    for x in numbers:
        start += x * x
    return start
