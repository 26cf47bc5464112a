"""Measures speed, as ratios to River in the same run."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from statistics import median
from time import perf_counter

import numpy as np

from macro_engine.algorithm.compiled_family import CompiledFamily, CompiledSettings
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.algorithm.macro import Macro
from macro_engine.core.members import Member, grid
from macro_engine.core.rows import Block, Columns, Rows
from macro_engine.discrepancy import DISTANCES, Features, Shape
from macro_engine.run.score.scoreboard import Scoreboard
from macro_engine.strategies import DEFAULT, PAPER
from macro_engine.subroutines.logistic import Logistic, logistic_regression

PART = 2000  # steps of the stream for the plain definition, which is slow
_FRAMES = 10_000
_STEPS_AT_ONCE = 2000  # a block of about the size that the engine takes


@dataclass(frozen=True)
class Timed:
    """One thing that is measured: `run` does it once and returns the number of rows."""

    key: str
    what: str
    run: Callable[[], int]


@dataclass(frozen=True)
class Measured:
    """Microseconds a row, and the ratio to River's model, in the middle of all rounds."""

    key: str
    what: str
    microseconds: float
    ratio: float


def contenders(block: Block) -> list[Timed]:
    """Everything that is measured, the one that the others are compared with first."""
    sparse = [{k: v for k, v in x.items() if v} for x in block.rows.dicts]
    labels = block.rows.labels.astype(bool).tolist()
    frames = _made_frames()
    blended = replace(block, rows=replace(block.rows, units=block.rows.numbers))
    row_by_row = replace(blended, starts=np.arange(len(block.rows) + 1))
    ten = _with_ten_classes(blended)
    usual = grid([6, 36], [0.01, 0.05, 0.1, 0.3, math.inf])
    return [
        Timed("a", "River LogisticRegression alone", lambda: _river(sparse, labels)),
        Timed("b", "family: features, H=1, 12 thresholds", lambda: _family(block, "features", 1)),
        Timed("c", "family: labels, H=6, 8 thresholds", lambda: _family(block, "labels", 6)),
        Timed("d", "macro.py over River: features, one threshold", lambda: _definition(block)),
        Timed(
            "e",
            "family: nearest-mean, frames, 64 synthetic features",
            lambda: _family(frames, "frames", 5, "nearest-mean"),
        ),
        Timed("f", "as c, and blend", lambda: _family(blended, "labels", 6, strategies=DEFAULT)),
        Timed(
            "g",
            "one row a step, nine members, and blend",
            lambda: _family(row_by_row, "labels", 6, members=usual, strategies=DEFAULT),
        ),
        Timed(
            "h",
            "as f, ten synthetic classes",
            lambda: _family(ten, "labels", 6, strategies=DEFAULT),
        ),
    ]


def measure(
    block: Block, rounds: int, progress: Callable[[float, str], object] = lambda _done, _words: None
) -> list[Measured]:
    """All contenders in turn, round after round, so that noise hits all alike."""
    everyone = contenders(block)
    for timed in everyone[1:]:
        progress(0.0, f"compiling, or loading: {timed.what}")
        timed.run()  # compiled, or taken from the cache, before the clock runs
    times: dict[str, list[float]] = {timed.key: [] for timed in everyone}
    for round_ in range(rounds):
        for i, timed in enumerate(everyone):
            progress((round_ + i / len(everyone)) / rounds, timed.what)
            started = perf_counter()
            rows = timed.run()
            times[timed.key].append((perf_counter() - started) / rows * 1e6)
    return [
        Measured(
            timed.key,
            timed.what,
            median(times[timed.key]),
            median(t / a for t, a in zip(times[timed.key], times["a"], strict=True)),
        )
        for timed in everyone
    ]


def _river(rows: list[dict[str, float]], labels: list[bool]) -> int:
    model = logistic_regression()
    predict, learn = model.predict_one, model.learn_one
    for x, y in zip(rows, labels, strict=True):
        predict(x)  # type: ignore[arg-type]
        learn(x, y)
    return len(rows)


def _family(
    block: Block,
    distance: str,
    history: int,
    subroutine: str = "logistic",
    members: tuple[Member, ...] = (),
    strategies: Sequence[str] = PAPER,
) -> int:
    """The whole ensemble with its scoreboard, block by block as the engine runs it."""
    classes = int(block.rows.labels.max()) + 1
    members = members or grid([history], DISTANCES[distance].thresholds)
    shape = Shape(classes, len(block.rows.columns.numbers), history, subroutine == "logistic")
    columns = block.rows.columns
    settings = CompiledSettings(members, distance, shape, subroutine)
    ensemble = Ensemble(CompiledFamily(settings, columns), columns, strategies, compiled=True)
    board = Scoreboard(ensemble.names, strategies[0])
    for start in range(0, block.steps, _STEPS_AT_ONCE):
        part = block.cut(start, min(start + _STEPS_AT_ONCE, block.steps))
        board.update(ensemble.run(part, board.totals))
    return board.rows


def _definition(block: Block) -> int:
    part = block.cut(0, min(PART, block.steps))
    columns = block.rows.columns
    macro = Macro(0.31, Features(2, len(columns.numbers)), 1, lambda: Logistic(2), columns)
    for s in range(part.steps):
        rows = part.step(s)
        choice = macro.open()
        macro.predict(choice, rows)
        macro.complete(choice, rows)
    return len(part.rows)


def _with_ten_classes(block: Block) -> Block:
    """The same rows, of which the labels are tenths of a noisy sum of the numbers."""
    rng = np.random.default_rng(0)
    numbers = block.rows.numbers
    score = numbers @ rng.normal(size=numbers.shape[1]) + 0.3 * rng.normal(size=len(numbers))
    labels = np.searchsorted(np.quantile(score, np.arange(1, 10) / 10), score)
    return replace(block, rows=replace(block.rows, labels=labels))


def _made_frames() -> Block:
    """A video-like stream: scenes that come back, a row a step."""
    rng = np.random.default_rng(0)
    scenes = rng.normal(0.0, 1.5, (6, 64))
    labels = np.repeat(rng.integers(0, 6, _FRAMES // 50), 50)
    numbers = scenes[labels] + rng.normal(0.0, 0.05, (_FRAMES, 64))
    columns = Columns(tuple(f"f{i}" for i in range(64)))
    rows = Rows(numbers, np.empty((_FRAMES, 0), np.int64), labels, columns)
    return Block(rows, np.arange(_FRAMES + 1), None, 0, 0)
