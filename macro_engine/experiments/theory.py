"""The paper's theorems on synthetic processes: cells, and claims with numeric criteria."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from macro_engine.experiments.synthetic_processes import switching_bound
from macro_engine.experiments.theory_runs import PARTS, mean_parts, run, triangle_defects
from macro_engine.work.tasks import Done, Failed, Task

STEPS, SEEDS = 4000, 4
_SHORT = 300  # steps where every hypothesis is scored
NEAR_ZERO = 0.01  # excess risk in the last eighth at most, where it goes to zero
FALLS = 0.5  # times that of the first eighth at most
REMAINS = 3.0  # times MACRO's that of one learner for all, at least
CONVERTED = 0.02  # excess risk with each output in the last eighth at most
LIKE_EXACT = 0.01  # between the grid of candidates and all of them at most


@dataclass(frozen=True)
class TheoryCell:
    """A setting, and what came out over the seeds.

    Attributes
    ----------
    excess
        The mean excess risk in each eighth of the run.
    subroutines, least, most
        For each seed N_n, and the covering numbers at eps and eps / 2; None where the distance is
        no metric or the threshold infinite.
    """

    process: str
    distance: str
    threshold: float
    power: float = 0.0
    learner: str = "erm"
    output: str = "last"
    steps: int = STEPS
    excess: tuple[float, ...] = ()
    subroutines: tuple[int, ...] = ()
    least: tuple[int, ...] | None = None
    most: tuple[int, ...] | None = None

    @property
    def is_marginal(self) -> bool:
        return math.isinf(self.threshold)

    @property
    def epsilon(self) -> float:
        """The threshold as a bound on the discrepancy of the process."""
        if self.distance == "labels":  # d = 0.54 |q - q'|, and the distance is 2 (q - q')^2
            return 0.54 * math.sqrt(self.threshold / 2)
        return self.threshold if self.distance == "posterior" else 0.0

    def task(self, seed: int) -> Task:
        settings = {
            "process": self.process,
            "distance": self.distance,
            "threshold": "inf" if self.is_marginal else self.threshold,
            "power": self.power,
            "learner": self.learner,
            "output": self.output,
            "steps": self.steps,
            "seed": seed,
        }
        return Task.of(run, settings, label=f"{self.in_words()}, seed {seed}")

    def in_words(self) -> str:
        if self.is_marginal:
            return f"{self.process}, one learner for all ({self.learner}, {self.output})"
        falling = f" t^-{self.power:g}" if self.power else ""
        of = f"{self.distance} <= {self.threshold:g}{falling}"
        return f"{self.process}, {of} ({self.learner}, {self.output})"

    def document(self) -> dict[str, Any]:
        return {
            "process": self.process,
            "distance": self.distance,
            "threshold": "inf" if self.is_marginal else self.threshold,
            "eps_power": self.power,
            "learner": self.learner,
            "output": self.output,
            "steps": self.steps,
            "excess": list(self.excess),
            "subroutines": list(self.subroutines),
            "covering": None if self.least is None else list(self.least),
            "covering_half": None if self.most is None else list(self.most),
        }


@dataclass(frozen=True)
class Claim:
    """A claim of the paper, the rule that decides, and what was found."""

    claim: str
    rule: str
    where: str
    holds: bool
    value: float

    def document(self) -> dict[str, Any]:
        return {
            "claim": self.claim,
            "rule": self.rule,
            "where": self.where,
            "holds": self.holds,
            "value": self.value,
        }


IID = TheoryCell("iid", "iid", 0.0)
MARKOV = TheoryCell("markov", "markov", 0.5)
FINE, COARSE = TheoryCell("share", "labels", 0.005), TheoryCell("share", "labels", 0.3)
FALLING = (replace(COARSE, power=0.25), replace(COARSE, power=0.5))
SWITCHING = (TheoryCell("switching", "posterior", 0.02), TheoryCell("switching", "posterior", 0.1))
UNBOUNDED = TheoryCell("switching", "labels", 0.02)
MARGINAL = {name: TheoryCell(name, "iid", math.inf) for name in ("markov", "share", "switching")}
OUTPUTS = tuple(
    replace(cell, learner="logistic", output=output)
    for cell in (IID, MARKOV)
    for output in ("last", "average", "score")
)
SCORES = tuple(
    replace(IID, learner="logistic", output=output, steps=_SHORT)
    for output in ("score", "exact-score")
)
CELLS = (
    IID, MARKOV, MARGINAL["markov"], FINE, COARSE, *FALLING, MARGINAL["share"],
    *SWITCHING, UNBOUNDED, MARGINAL["switching"], *OUTPUTS, *SCORES,
)  # fmt: skip


def plan(steps: int, seeds: int) -> list[tuple[TheoryCell, list[Task]]]:
    """The cells, shortened or lengthened, with a task for each seed."""
    cells = [
        replace(cell, steps=min(cell.steps, steps) if cell in SCORES else steps) for cell in CELLS
    ]
    return [(cell, [cell.task(seed) for seed in range(seeds)]) for cell in cells]


def gathered(
    planned: Sequence[tuple[TheoryCell, list[Task]]], results: Sequence[Done | Failed]
) -> dict[TheoryCell, TheoryCell]:
    """The cells with what came out, by the setting; without those of which a seed failed."""
    found: dict[TheoryCell, TheoryCell] = {}
    left = iter(results)
    for (cell, tasks), setting in zip(planned, CELLS, strict=True):
        done = [next(left) for _ in tasks]
        values = [one.value for one in done if isinstance(one, Done)]
        if len(values) < len(tasks):
            continue
        has_cover = all("least" in value for value in values)
        found[setting] = replace(
            cell,
            excess=tuple(mean_parts(values).tolist()),
            subroutines=tuple(value["subroutines"] for value in values),
            least=tuple(value["least"] for value in values) if has_cover else None,
            most=tuple(value["most"] for value in values) if has_cover else None,
        )
    return found


def claims(cells: dict[TheoryCell, TheoryCell]) -> list[Claim]:
    """Judges every claim whose cells are there."""
    return [
        *_goes_to_zero(cells),
        *_within_bound(cells),
        *_marginal_remains(cells),
        *_lemma(cells),
        *_falling(cells),
        *_outputs(cells),
        *_metrics(),
    ]


def _goes_to_zero(cells: dict[TheoryCell, TheoryCell]) -> Iterator[Claim]:
    rule = f"excess risk in the last eighth <= {NEAR_ZERO} and <= {FALLS} of the first eighth's"
    for setting in (IID, MARKOV, FINE):
        if (cell := cells.get(setting)) is not None:
            last = cell.excess[-1]
            holds = last <= NEAR_ZERO and last <= FALLS * cell.excess[0]
            yield Claim("the excess risk goes to zero", rule, cell.in_words(), holds, last)


def _within_bound(cells: dict[TheoryCell, TheoryCell]) -> Iterator[Claim]:
    rule = f"excess risk in the last eighth <= 2 eps + {NEAR_ZERO}, eps in terms of the discrepancy"
    for setting in (COARSE, *SWITCHING):
        if (cell := cells.get(setting)) is not None:
            last = cell.excess[-1]
            holds = last <= 2 * cell.epsilon + NEAR_ZERO
            yield Claim("Theorem 1: within 2 eps of the best", rule, cell.in_words(), holds, last)


def _marginal_remains(cells: dict[TheoryCell, TheoryCell]) -> Iterator[Claim]:
    rule = f"excess risk of one learner for all in the last eighth >= {REMAINS:g} times MACRO's"
    for name, setting in (("markov", MARKOV), ("share", FINE), ("switching", SWITCHING[0])):
        ours, marginal = cells.get(setting), cells.get(MARGINAL[name])
        if ours is not None and marginal is not None:
            ratio = marginal.excess[-1] / max(ours.excess[-1], 1e-9)
            yield Claim("one learner for all keeps its excess", rule, name, ratio >= REMAINS, ratio)


def _lemma(cells: dict[TheoryCell, TheoryCell]) -> Iterator[Claim]:
    rule = "N(M, n, eps) <= N_n <= N(M, n, eps/2) for every seed; the value counts seeds that fail"
    for setting in (IID, MARKOV, FINE, COARSE, *SWITCHING):
        cell = cells.get(setting)
        if cell is None or cell.least is None or cell.most is None:
            continue
        bounds = zip(cell.least, cell.subroutines, cell.most, strict=True)
        outside = sum(not least <= n <= most for least, n, most in bounds)
        yield Claim("Lemma 1", rule, cell.in_words(), outside == 0, float(outside))


def _falling(cells: dict[TheoryCell, TheoryCell]) -> Iterator[Claim]:
    fixed = cells.get(COARSE)
    for setting in FALLING:
        cell = cells.get(setting)
        if cell is None or fixed is None or cell.most is None:
            continue
        gain = fixed.excess[-1] - cell.excess[-1]
        rule = "excess risk in the last eighth below that of the fixed threshold it began with"
        yield Claim("eps_n falling lowers the excess", rule, cell.in_words(), gain > 0, gain)
        outside = sum(n > most for n, most in zip(cell.subroutines, cell.most, strict=True))
        rule = "N_n <= N(M, n, eps_n/2) for every seed; the value counts seeds that fail"
        yield Claim(
            "Lemma 1 for eps_n falling", rule, cell.in_words(), outside == 0, float(outside)
        )


def _outputs(cells: dict[TheoryCell, TheoryCell]) -> Iterator[Claim]:
    rule = f"excess risk in the last eighth <= {CONVERTED}"
    for setting in OUTPUTS:
        if (cell := cells.get(setting)) is not None:
            last = cell.excess[-1]
            yield Claim("each output converges", rule, cell.in_words(), last <= CONVERTED, last)
    grid, exact = (cells.get(setting) for setting in SCORES)
    if grid is not None and exact is not None:
        gap = abs(sum(grid.excess) - sum(exact.excess)) / PARTS
        rule = f"mean excess risk over {grid.steps} steps differs by at most {LIKE_EXACT}"
        where = "iid, candidates 1, 2, 4, ... against all"
        yield Claim("score's grid is like exact scoring", rule, where, gap <= LIKE_EXACT, gap)


def _metrics() -> Iterator[Claim]:
    rule = "D(S, U) <= D(S, T) + D(T, U) for three histories; the value is the defect"
    for name, defect in triangle_defects().items():
        yield Claim("the distance is a metric", rule, name, defect <= 1e-12, defect)


def notes() -> list[str]:
    """The notes to the figures."""
    return [
        "Excess risk: R_n(h_n) - inf R_n(h), exact at every step, over the cuts of five points in "
        "both directions; erm minimizes the 0/1 loss over them.",
        "Lemma 1 needs a metric. The bottleneck distance and the squared labels distance are none, "
        "as the last claims show (a no is expected there): the lemma is checked for the root of "
        "labels, and not for features.",
        f"switching: the posterior bounds the discrepancy by {switching_bound():.2f} times its "
        "difference; the labels distance bounds nothing there, and no theorem applies.",
    ]


def document(cells: dict[TheoryCell, TheoryCell], found: Sequence[Claim]) -> dict[str, Any]:
    """For `--json`."""
    return {
        "experiment": "theory",
        "cells": [cell.document() for cell in cells.values()],
        "claims": [claim.document() for claim in found],
        "notes": notes(),
    }
