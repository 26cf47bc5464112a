"""Online-to-batch conversion."""

import math

import numpy as np
import pytest
from extras import needs_vw
from made_streams import block_of, random_block

from macro_engine.core.errors import UsageError
from macro_engine.subroutines import resolve
from macro_engine.subroutines.base import Subroutine
from macro_engine.subroutines.output import Averaged, Scored

CLASSES = {2: ("0", "1"), 3: ("0", "1", "2")}


def steps(classes, n=12):
    block = random_block(4, classes, [5] * n)
    return [block.step(s) for s in range(n)]


class Script(Subroutine):
    """After i steps it predicts what was written down for h_i, whatever the row."""

    def __init__(self, script, i=0):
        self.script, self.i = script, i

    def predict(self, rows):
        return np.full(len(rows), self.script[self.i])

    def learn(self, rows):  # noqa: ARG002
        self.i += 1

    def copy(self):
        return Script(self.script, self.i)


class TestAverage:
    @pytest.mark.parametrize("classes", [2, 3])
    def test_logistic_equals_the_mean_of_the_weights(self, classes):
        averaged = Averaged(resolve("logistic")(CLASSES[classes]))
        seen = []
        for rows in steps(classes):
            averaged.learn(rows)
            models = averaged.learner.models
            seen.append([(dict(model.weights), model.intercept) for model in models])
        for m in range(len(seen[0])):
            for name, mean in averaged.mean.weights[m].items():
                expected = np.mean([weights[m][0].get(name, 0.0) for weights in seen])
                assert mean == pytest.approx(expected, abs=1e-12)
            expected = np.mean([weights[m][1] for weights in seen])
            assert averaged.mean.intercepts[m] == pytest.approx(expected, abs=1e-12)

    def test_logistic_predicts_with_the_mean(self):
        averaged = Averaged(resolve("logistic")(CLASSES[2]))
        for rows in steps(2):
            averaged.learn(rows)
        mean, rows = averaged.mean, random_block(9, 2, [50]).rows
        logits = [
            sum(mean.weights[0].get(name, 0.0) * value for name, value in x.items())
            + mean.intercepts[0]
            for x in rows.dicts
        ]
        assert averaged.predict(rows).tolist() == [int(logit > 0) for logit in logits]

    def test_nearest_mean_counts_a_class_from_its_first_mean(self):
        averaged = Averaged(resolve("nearest-mean")(CLASSES[2]))
        for labels, numbers in [([0], [[1, 0]]), ([0, 1], [[2, 0], [8, 0]]), ([1], [[6, 0]])]:
            averaged.learn(block_of(labels, [len(labels)], numbers).rows)
        # means of class 0 after each step: 1, 1.5, 1.5; of class 1: none, 8, 7
        assert averaged.mean.means[:, 0].tolist() == pytest.approx([4 / 3, 7.5])

    def test_erm_equals_the_mean_of_the_minimisers(self):
        averaged = Averaged(resolve("erm")(CLASSES[2]))
        seen = []
        for rows in steps(2, 6):
            averaged.learn(rows)
            seen.append(averaged.learner.weights[0].copy())
        assert averaged.mean.weights[0] == pytest.approx(np.mean(seen, axis=0))

    @pytest.mark.parametrize("name", ["logistic", "nearest-mean", "erm"])
    def test_a_newborn_puts_out_its_copy_and_has_no_average_yet(self, name):
        parent = Averaged(resolve(name)(CLASSES[2]))
        for rows in steps(2):
            parent.learn(rows)
        child = parent.copy()
        rows = random_block(9, 2, [50]).rows
        assert child.predict(rows).tolist() == parent.learner.predict(rows).tolist()
        before = parent.predict(rows).tolist()
        for more in steps(2)[::-1]:
            child.learn(more)
        assert parent.predict(rows).tolist() == before

    @pytest.mark.parametrize(
        "name", [pytest.param("vw", marks=needs_vw), "river:naive_bayes.GaussianNB()"]
    )
    def test_models_without_a_mean_are_refused(self, name):
        with pytest.raises(UsageError, match="--output average"):
            Averaged(resolve(name)(CLASSES[2]))


class TestScore:
    def test_a_case_worked_by_hand(self):
        # h_1 predicts 1 and is always right afterwards, h_2, h_3 and h_4 predict 0
        scored = Scored(Script([0, 1, 0, 0, 0]), delta=0.05)
        rows = block_of([1, 1], [2]).rows
        for _ in range(4):
            scored.learn(rows)
        s = 4
        width = math.log(s**3 * (s + 1) / 0.05)
        expected = {
            1: 0.0 + math.sqrt(width / (2 * 4)),  # right in steps 2, 3 and 4
            2: 1.0 + math.sqrt(width / (2 * 3)),  # wrong in steps 3 and 4
            4: 0.0 + math.sqrt(width / (2 * 1)),  # nothing came after it
        }
        found = {c.i: scored.score(c.i, c.losses) for c in scored.candidates}
        assert found == expected
        assert min(expected, key=expected.get) == 1
        assert scored.predict(rows).tolist() == [1, 1]

    def test_losses_are_mean_shares_of_the_steps_learned_after(self):
        scored = Scored(Script([0] * 9), delta=0.05)
        for labels in ([0, 0], [1, 0], [1, 1, 1]):
            scored.learn(block_of(labels, [len(labels)]).rows)
        first = scored.candidates[0]
        assert (first.i, first.losses) == (1, 0.5 + 1.0)

    def test_candidates_are_powers_of_two_and_the_latest(self):
        scored = Scored(Script([0] * 30), delta=0.05)
        for _ in range(11):
            scored.learn(block_of([0], [1]).rows)
        assert [c.i for c in scored.candidates] == [1, 2, 4, 8]
        assert [c.hypothesis.i for c in scored.candidates] == [1, 2, 4, 8]

    def test_before_the_first_step_it_puts_out_its_copy(self):
        assert Scored(Script([1]), delta=0.05).predict(block_of([0], [1]).rows).tolist() == [1]

    def test_a_newborn_takes_neither_candidates_nor_count(self):
        scored = Scored(Script([0] * 9), delta=0.05)
        for _ in range(3):
            scored.learn(block_of([0], [1]).rows)
        child = scored.copy()
        assert (child.steps, child.candidates, child.learner.i) == (0, [], 3)


@pytest.mark.parametrize("output", [Averaged, lambda learner: Scored(learner, 0.05)])
def test_a_step_without_a_label_gives_no_hypothesis(output):
    block = random_block(4, 2, [5, 0, 5])
    with_it, without = (output(resolve("logistic")(CLASSES[2])) for _ in range(2))
    for s in range(3):
        with_it.learn(block.step(s))
    for s in (0, 2):
        without.learn(block.step(s))
    assert with_it.steps == without.steps == 2
    assert np.array_equal(*(o.probabilities(block.rows) for o in (with_it, without)))
