"""The stack: Kalman filters for the weights of the experts' log-probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence

from macro_engine.blend.probability import dot, softmax

SLOW, FAST = 1e-6, 1e-4  # how much the uncertainty of a weight grows a row
START = 0.05  # the uncertainty at the start
MOST = 1.0  # beyond which it does not grow


class Filter:
    """An extended Kalman filter for the weights of a multinomial logistic model.

    Its inputs are l, by classes then experts: the centred log-probabilities. R is the covariance
    of the weights.
    """

    def __init__(self, experts: int, noise: float) -> None:
        self.noise = noise
        self.restarts = 0
        self._start(experts)

    def _start(self, experts: int) -> None:
        self.weights = [1.0 / experts] * experts
        self.covariance = [
            [START if a == b else 0.0 for b in range(experts)] for a in range(experts)
        ]

    def answer(self, logs: Sequence[Sequence[float]]) -> list[float]:
        return softmax([dot(self.weights, of_class) for of_class in logs])

    def learn(self, logs: Sequence[Sequence[float]], label: int) -> None:
        """Learn a row; a variance below 0 or anything not finite starts the filter again."""
        q = self.answer(logs)
        for a in range(len(self.weights)):
            if self.covariance[a][a] < MOST:
                self.covariance[a][a] += self.noise
        sound = self._two(logs, q, label) if len(q) == 2 else self._many(logs, q, label)
        if not sound or not all(map(math.isfinite, self.weights)):
            self.restarts += 1
            self._start(len(self.weights))

    def _two(self, logs: Sequence[Sequence[float]], q: Sequence[float], label: int) -> bool:
        x = [second - first for first, second in zip(*logs, strict=True)]
        u = [dot(row, x) for row in self.covariance]
        v = dot(x, u)
        if not is_sound(v):
            return False
        h = max(q[0] * q[1], 1e-6)
        scale = 1.0 + h * v
        gain = (float(label == 1) - q[1]) / scale
        for a, move in enumerate(u):
            self.weights[a] += move * gain
        self._reduce(h / scale, u)
        return True

    def _many(self, logs: Sequence[Sequence[float]], q: Sequence[float], label: int) -> bool:
        mean = [dot(q, of_expert) for of_expert in zip(*logs, strict=True)]
        for of_class, p in zip(logs, q, strict=True):
            if p < 1e-3:
                continue
            d = [value - m for value, m in zip(of_class, mean, strict=True)]
            u = [dot(row, d) for row in self.covariance]
            v = dot(d, u)
            if not is_sound(v):
                return False
            self._reduce(p / (1.0 + p * v), u)
        surprise = [value - m for value, m in zip(logs[label], mean, strict=True)]
        moves = [dot(row, surprise) for row in self.covariance]
        for a, move in enumerate(moves):
            self.weights[a] += move
        return True

    def _reduce(self, factor: float, u: Sequence[float]) -> None:
        """R -= factor u u', computed below the diagonal and mirrored."""
        covariance = self.covariance
        for a in range(len(u)):
            scaled = factor * u[a]
            for b in range(a + 1):
                covariance[a][b] = covariance[b][a] = covariance[a][b] - scaled * u[b]


def is_sound(v: float) -> bool:
    """Whether v may be a variance."""
    return v >= 0.0 and math.isfinite(v)
