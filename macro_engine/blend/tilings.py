"""Random tilings of the columns, drawn once from a seed and the number of columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

TILINGS = 48
DEPTHS = (1, 2, 2, 3, 3, 4)  # columns of a tiling, in turn
CELLS = 1 << 15
_TOP = (1 << 64) - 1
_FACTOR = 0x9E3779B97F4A7C15

SLOW, FAST, ADAGRAD, SQUARES = range(4)  # what a cell holds for each logistic model


@dataclass(frozen=True)
class TilingSet:
    """A set of tilings, and the step of each of its learners: slow, fast and AdaGrad.

    A step of 0 leaves the learner out.
    """

    seed: int
    bins: tuple[int, int, int, int]
    steps: tuple[float, float, float]

    @property
    def learners(self) -> tuple[int, ...]:
        return tuple(v for v in (SLOW, FAST, ADAGRAD) if self.steps[v])


TILING_SETS = (
    TilingSet(1, (32, 10, 5, 3), (0.0, 3.0, 2.5)),
    TilingSet(1001, (48, 16, 8, 5), (1.0, 3.0, 2.5)),
)


@dataclass(frozen=True)
class Cut:
    """One column of a tiling: a number is cut into bins that start at an offset."""

    column: int
    bins: float
    offset: float


Tiling = tuple[Cut, ...]


class SplitMix:
    """Random numbers that are the same everywhere.

    >>> SplitMix(1).uniform()
    0.5665615751722809
    """

    def __init__(self, seed: int) -> None:
        self.state = seed

    def uniform(self) -> float:
        """In [0, 1)."""
        self.state = (self.state + _FACTOR) & _TOP
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _TOP
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _TOP
        return ((z ^ (z >> 31)) >> 11) / 2.0**53

    def shuffled(self, count: int) -> list[int]:
        cards = list(range(count))
        for i in range(count - 1, 0, -1):
            j = int(self.uniform() * (i + 1))
            cards[i], cards[j] = cards[j], cards[i]
        return cards


def draw(columns: int, seed: int, bins: Sequence[int]) -> list[Tiling]:
    """Draw the tilings; `bins` says how many a column has in a tiling of one column, two, ...

    Columns come from a shuffled deck, so that all are used equally often.
    """
    random = SplitMix(seed)
    deck: list[int] = []
    tilings = []
    for number in range(TILINGS):
        depth = min(DEPTHS[number % len(DEPTHS)], columns)
        chosen: list[int] = []
        while len(chosen) < depth:
            fresh = next((card for card in deck if card not in chosen), None)
            if fresh is None:
                deck = random.shuffled(columns)
                continue
            deck.remove(fresh)
            chosen.append(fresh)
        cuts = []
        for column in chosen:
            size = bins[depth - 1] * (0.7 + 0.7 * random.uniform())
            cuts.append(Cut(column, size, random.uniform()))
        tilings.append(tuple(cuts))
    return tilings


def cell(tiling: Tiling, number: int, units: Sequence[float], codes: Sequence[int]) -> int:
    """The cell of a row's tile in the table; `number` is the tiling's, from 0."""
    h = number + 1
    for cut in tiling:
        f = cut.column
        tile = int(units[f] * cut.bins + cut.offset) if f < len(units) else codes[f - len(units)]
        h = _mixed((h * 1000003 + tile + f * 7919 + 13) & _TOP)
    return (h >> 20) & (CELLS - 1)


def _mixed(h: int) -> int:
    h = ((h ^ (h >> 29)) * _FACTOR) & _TOP
    return ((h ^ (h >> 32)) * _FACTOR) & _TOP
