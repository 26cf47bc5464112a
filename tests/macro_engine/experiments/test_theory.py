"""Theory made visible: exact risks, covering numbers, and verdicts that can fall either way."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from macro_engine.experiments import theory
from macro_engine.experiments.covering import covering_number
from macro_engine.experiments.synthetic_processes import (
    PROCESSES,
    hypotheses,
    risks,
    switching_bound,
)
from macro_engine.experiments.theory_runs import run, triangle_defects
from macro_engine.work.tasks import Done, run_tasks


@pytest.mark.parametrize("name", PROCESSES)
def test_labels_follow_the_law_that_a_process_tells(name):
    sample = PROCESSES[name](np.random.default_rng(3), 4000)
    odds = sample.laws[np.arange(4000), sample.x]
    surprise = (sample.labels - odds) / np.sqrt((odds * (1 - odds)).sum())
    assert abs(surprise.sum()) < 4
    assert np.abs(np.cumsum(surprise)).max() < 5


def test_the_class_holds_every_cut_in_both_directions():
    known = hypotheses()
    assert len(known) == 10
    assert risks(known, np.array([0, 0, 0, 1, 1.0])).min() == 0
    assert risks(known, np.array([1, 0, 1, 0, 1.0])).min() == pytest.approx(0.4)


def test_the_bounds_on_the_discrepancy_hold():
    known = hypotheses()
    sample = PROCESSES["switching"](np.random.default_rng(1), 300)
    for i, j in [(0, 250), (10, 60), (299, 5)]:
        gap = np.abs(risks(known, sample.laws[i]) - risks(known, sample.laws[j])).max()
        assert gap <= switching_bound() * abs(sample.posterior[i] - sample.posterior[j]) + 1e-12
    sample = PROCESSES["share"](np.random.default_rng(1), 300)
    q = [sample.labels[t - 8 : t].mean() for t in range(8, 300)]
    for i, j in [(0, 250), (10, 60), (291, 5)]:
        gap = np.abs(risks(known, sample.laws[i + 8]) - risks(known, sample.laws[j + 8])).max()
        assert gap <= 0.54 * abs(q[i] - q[j]) + 1e-12


def test_the_covering_number_is_the_least():
    random = np.random.default_rng(0)
    for _ in range(60):
        places = random.integers(0, 12, size=6).tolist()
        radius = int(random.integers(0, 5))
        least = next(
            k
            for k in range(1, 7)
            if any(
                all(any(abs(p - c) <= radius for c in centres) for p in places)
                for centres in combinations(places, k)
            )
        )
        assert covering_number(places, radius) == least


def test_which_distance_is_a_metric():
    defects = triangle_defects()
    assert defects["features (bottleneck)"] > 0
    assert defects["labels"] > 0
    assert defects["root of labels"] <= 1e-12


def test_a_short_run_has_exact_excess_and_lemma_1():
    (done,) = run_tasks([replace(theory.COARSE, steps=200).task(0)])
    assert isinstance(done, Done)
    assert done.value["least"] <= done.value["subroutines"] <= done.value["most"]
    assert all(part >= 0 for part in done.value["excess"])
    assert len(done.value["excess"]) == 8


def cell(setting, excess, subroutines=3, least=2, most=4):
    covers = {"least": (least,), "most": (most,)}
    return {
        setting: replace(
            setting, excess=(excess[0],) * 7 + (excess[1],), subroutines=(subroutines,), **covers
        )
    }


@pytest.mark.parametrize(
    ("cells", "claim", "holds"),
    [
        (cell(theory.IID, (0.1, 0.001)), "the excess risk goes to zero", True),
        (cell(theory.IID, (0.1, 0.02)), "the excess risk goes to zero", False),
        (cell(theory.IID, (0.001, 0.0009)), "the excess risk goes to zero", False),
        (cell(theory.COARSE, (0.4, 0.41)), "Theorem 1: within 2 eps of the best", True),
        (cell(theory.COARSE, (0.4, 0.44)), "Theorem 1: within 2 eps of the best", False),
        (cell(theory.IID, (0.1, 0), 5), "Lemma 1", False),
        (cell(theory.IID, (0.1, 0), 1), "Lemma 1", False),
        (
            cell(theory.COARSE, (0, 0.1)) | cell(theory.FALLING[0], (0, 0.05)),
            "eps_n falling lowers the excess",
            True,
        ),
        (
            cell(theory.COARSE, (0, 0.1)) | cell(theory.FALLING[0], (0, 0.2)),
            "eps_n falling lowers the excess",
            False,
        ),
        (
            cell(theory.MARKOV, (0, 0.01)) | cell(theory.MARGINAL["markov"], (0, 0.02)),
            "one learner for all keeps its excess",
            False,
        ),
        (cell(theory.OUTPUTS[1], (0, 0.03)), "each output converges", False),
        (
            cell(theory.SCORES[0], (0.1, 0.1)) | cell(theory.SCORES[1], (0.1, 0.19)),
            "score's grid is like exact scoring",
            False,
        ),
    ],
)
def test_the_rules_decide(cells, claim, holds):
    verdicts = {found.claim: found.holds for found in theory.claims(cells)}
    assert verdicts[claim] is holds


def test_a_cell_of_which_a_seed_failed_is_left_out():
    planned = theory.plan(16, 1)
    failed = [theory.Failed(task, "no") for _, tasks in planned for task in tasks]
    assert theory.gathered(planned, failed) == {}
    assert run.is_work
