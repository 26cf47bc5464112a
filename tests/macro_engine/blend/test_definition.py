"""The definition against figures that another program computed from the same page."""

import math

import numpy as np
import pytest
from made_blends import patterned

from macro_engine.algorithm.family import Family
from macro_engine.algorithm.no_change import NoChange
from macro_engine.algorithm.persistence import Persistence
from macro_engine.blend.blend import Blend
from macro_engine.blend.compiled import CompiledBlend
from macro_engine.blend.shape import BlendShape, Evidence
from macro_engine.core.members import grid
from macro_engine.core.rows import Block, Columns, Rows
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.stream.running_scale import RunningScale
from macro_engine.subroutines.logistic import Logistic

THRESHOLDS = (0.005, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
ROWS = [20, 60, 89]
EXPECTED = {
    2: [
        [0.686707066177, 0.313292933823],
        [0.569245480815, 0.430754519185],
        [0.558913049407, 0.441086950593],
    ],
    3: [
        [0.458285603747, 0.299475790612, 0.24223860564],
        [0.327049073081, 0.426265362684, 0.246685564235],
        [0.415652082559, 0.214292056964, 0.370055860477],
    ],
}


def forecasts(z, codes, labels, starts, classes):
    """The probabilities of the members, and in the last line of the marginal."""
    slots = tuple(tuple(map(str, range(column.max() + 1))) for column in codes.T)
    columns = Columns(("x", "y", "z"), ("a", "b"), slots)
    family = Family(
        grid([6], THRESHOLDS),
        DISTANCES["labels"].create(Shape(classes, 3, 6, True)),
        lambda: Logistic(classes),
        columns,
        classes,
    )
    block = Block(Rows(z, codes, labels, columns), starts, None, 0, 0)
    return family.run(block, with_probabilities=True).probabilities


@pytest.mark.parametrize("classes", [2, 3])
def test_answers_are_those_of_the_reference(classes):
    raw, codes, labels, starts = patterned(classes)
    scale = RunningScale([False] * 3)
    z = scale.run(raw, starts)
    p = forecasts(z, codes, labels, starts, classes)
    _, unchanged = NoChange(Persistence(classes)).run(labels, starts)
    evidence = Evidence(z, scale.units(z), codes, p[-1], unchanged, p[:-1])
    for blend in (Blend, CompiledBlend):
        outcome = blend(BlendShape.of(classes, 3, 2, len(THRESHOLDS))).run(evidence, labels, starts)
        np.testing.assert_allclose(outcome.probabilities[ROWS], EXPECTED[classes], 0, 1e-9)


def test_before_any_label_all_classes_are_alike_and_the_first_is_answered():
    blank = np.empty((1, 0))
    evidence = Evidence(
        blank, blank, np.empty((1, 0), np.int64),
        np.full((1, 4), 0.25), np.full((1, 4), 0.25), np.empty((0, 1, 4)),
    )  # fmt: skip
    answers = Blend(BlendShape.of(4, 0, 0, 0)).answer(evidence)
    assert answers.probabilities.tolist() == [[0.25] * 4]
    assert answers.classes.tolist() == [0]


def test_log_loss_is_at_most_that_of_the_best_expert_and_the_price_of_finding_it():
    raw, codes, labels, starts = patterned(3)
    p = np.full((90, 3), 0.05)
    p[np.arange(90), labels] = 0.9  # an expert that knows
    z = RunningScale([False] * 3).run(raw, starts)
    alike = np.full((90, 3), 1 / 3)
    evidence = Evidence(z, z * 0 + 0.5, codes, p, alike, np.empty((0, 90, 3)))
    shape = BlendShape.of(3, 3, 2, 0)
    q = CompiledBlend(shape).run(evidence, labels, starts).probabilities
    losses = -np.log(q[np.arange(90), labels])
    by_step = np.add.reduceat(losses, starts[:-1]) / np.diff(starts)
    steps, prior = len(by_step), 0.25 / shape.experts
    price = (math.log(1 / prior) + steps * math.log(1 / 0.999)) / steps
    assert by_step.mean() <= -math.log(0.9) + price
