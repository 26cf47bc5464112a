"""The paper's claims on its experiments, each with a numeric criterion fixed beforehand.

Errors are shares of rows here; the values that decide are in points (hundredths) unless said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from macro_engine.experiments.cells import Cells, Group, Rate, Verdict

CLOSE_TO_BEST = 0.3  # points between FTL and the best fixed threshold at most
SHARE_BELOW = 0.5  # of the thresholds that must be below the marginal baseline
CLOSE_LEARNERS = 0.5  # points between MACRO with one learner and with the other at most
LARGE_CUT = 70.0  # % by which the error falls somewhere
HISTORY_SPREAD = 1.0  # point between the lengths of history, less than
COST_SPREAD = 2.0  # times the least cost a unit is the greatest one at most

BELOW_MARGINAL = "MACRO (FTL) below marginal"
NEAR_BEST = "FTL close to the best fixed threshold"
BELOW_EWA = "FTL below EWA"
WIDE_RANGE = "a wide range of thresholds below marginal"
VW_GAINS_MORE = "VW gains more than ERM"
VW_LIKE_ERM = "MACRO-VW on the level of MACRO-ERM"
ALWAYS_REDUCED = "the error is always reduced"
LARGE_REDUCTION = "somewhere by more than 70 %"
LENGTH_HARDLY_MATTERS = "the length of history hardly matters"
COST = "cost proportional to n N_n"

RULES = {
    BELOW_MARGINAL: "FTL - SR < 0 points",
    NEAR_BEST: f"FTL - best threshold <= {CLOSE_TO_BEST} points",
    BELOW_EWA: "FTL - EWA < 0 points",
    WIDE_RANGE: f"share of thresholds below SR >= {SHARE_BELOW:.0%}",
    VW_GAINS_MORE: "relative gain of VW - of ERM > 0 points",
    VW_LIKE_ERM: f"|MACRO-VW - MACRO-ERM| <= {CLOSE_LEARNERS} points",
    ALWAYS_REDUCED: "FTL - SR < 0 points",
    LARGE_REDUCTION: f"largest relative gain of FTL over SR > {LARGE_CUT:g} %",
    LENGTH_HARDLY_MATTERS: f"FTL: largest - smallest over lengths < {HISTORY_SPREAD:g} point",
    COST: f"(comparisons + updates) / (n N_n): largest / least <= {COST_SPREAD:g}",
}


def verdict(claim: str, group: Group, holds: bool, value: float, where: str = "") -> Verdict:
    return Verdict(
        claim,
        RULES[claim],
        where or group.place,
        holds,
        value,
        group.distance,
        group.learner,
        group.rate,
    )


def on_strategies(cells: Cells, below: str = BELOW_MARGINAL) -> Iterator[Verdict]:
    """The paper's claims on FTL, EWA and fixed thresholds, for every run."""
    for group in cells.groups:
        marginal, ftl = cells.error(group, "marginal"), cells.error(group, "ftl")
        ewa, fixed = cells.error(group, "ewa"), cells.thresholds(group)
        if marginal is None or ftl is None or ewa is None or not fixed:
            continue
        yield verdict(below, group, ftl < marginal, 100 * (ftl - marginal))
        gap = 100 * (ftl - min(fixed.values()))
        yield verdict(NEAR_BEST, group, gap <= CLOSE_TO_BEST, gap)
        yield verdict(BELOW_EWA, group, ftl < ewa, 100 * (ftl - ewa))
        share = sum(error < marginal for error in fixed.values()) / len(fixed)
        yield verdict(WIDE_RANGE, group, share >= SHARE_BELOW, 100 * share)


def on_learners(cells: Cells, distances: Sequence[str], rate: Rate) -> Iterator[Verdict]:
    """The paper's claims on Vowpal Wabbit and ERM."""
    for distance in distances:
        for place in cells.places:
            erm = Group(place, distance, "logistic", rate, 1)
            vw = Group(place, distance, "vw", None, 1)
            gains = [relative_gain(cells, group) for group in (vw, erm)]
            errors = [cells.error(group, "ftl") for group in (vw, erm)]
            if gains[0] is None or gains[1] is None or errors[0] is None or errors[1] is None:
                continue
            more = gains[0] - gains[1]
            yield verdict(VW_GAINS_MORE, vw, more > 0.0, more)
            gap = 100 * (errors[0] - errors[1])
            yield verdict(VW_LIKE_ERM, vw, abs(gap) <= CLOSE_LEARNERS, gap)


def relative_gain(cells: Cells, group: Group, series: str = "ftl") -> float | None:
    """Returns the gain of a series, in % of the marginal error."""
    marginal, error = cells.error(group, "marginal"), cells.error(group, series)
    if marginal is None or error is None or not marginal:
        return None
    return 100 * (marginal - error) / marginal


def on_reduction(cells: Cells, groups: Sequence[Group]) -> Iterator[Verdict]:
    """Whether one place has a large gain; the groups are those of one experiment."""
    gains = {group: relative_gain(cells, group) for group in groups}
    known = {group: gain for group, gain in gains.items() if gain is not None}
    if known:
        best = max(known, key=lambda group: known[group])
        where = f"anywhere ({best.place})"
        yield verdict(LARGE_REDUCTION, best, known[best] > LARGE_CUT, known[best], where)


def on_lengths(cells: Cells, distance: str, lengths: Sequence[int]) -> Iterator[Verdict]:
    """The paper's claim on the length of the history."""
    for place in cells.places:
        groups = [Group(place, distance, "nearest-mean", None, length) for length in lengths]
        errors = [e for group in groups if (e := cells.error(group, "ftl")) is not None]
        if len(errors) == len(lengths):
            spread = 100 * (max(errors) - min(errors))
            yield verdict(LENGTH_HARDLY_MATTERS, groups[0], spread < HISTORY_SPREAD, spread)


def on_cost(group: Group, members: Sequence[Mapping[str, Any]]) -> Iterator[Verdict]:
    """What a run counted: comparisons with references and updates of subroutines.

    For each threshold the cost so far is divided by n N_n at several moments; the worst threshold
    decides.
    """
    spreads = [
        max(units) / min(units)
        for member in members
        if (units := [cost / (n * started) for n, started, cost in member["cost"]])
    ]
    if spreads:
        yield verdict(COST, group, max(spreads) <= COST_SPREAD, max(spreads))
