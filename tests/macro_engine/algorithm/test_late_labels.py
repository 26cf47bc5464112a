"""Steps that open before earlier ones are complete, against a slow and plain definition."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_ensembles import assert_same_steps, general, members_of, run
from made_late import played, unlabelled
from made_streams import classes_of, random_block, random_blocks, same

from macro_engine.algorithm.family import with_marginal
from macro_engine.algorithm.macro import Macro
from macro_engine.core.state import pack
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.subroutines import resolve

THRESHOLDS = (0.05, 0.3)


def after(delay, steps):
    """How many steps are complete before each opens, if each is after `delay` further ones."""
    return [max(s - delay, 0) for s in range(steps)]


def slow_predictions(block, members, delay, labels, subroutine, classes):
    """Members and marginal baseline by rows: one `Macro` each, which is told labels late."""
    columns, create = block.rows.columns, resolve(subroutine)
    names = tuple(map(str, range(classes)))
    lines = []
    for member in with_marginal(members):
        steps = members[0].steps if member.is_marginal else member.steps
        discrepancy = DISTANCES["labels"].create(Shape(classes, 2, steps))
        macro = Macro(
            member.threshold, discrepancy, steps, lambda: create(names), columns, power=0.0
        )
        waiting, said = [], []
        for s in range(block.steps):
            while len(waiting) > delay:
                macro.complete(*waiting.pop(0))
            choice = macro.open()
            rows = block.step(s)
            said.append(macro.predict(choice, rows))
            known = labels[block.starts[s] : block.starts[s + 1]]
            waiting.append((choice, unlabelled(rows).labelled(known)))
        lines.append(np.concatenate(said))
    return np.array(lines)


def slow_strategies(members, block, delay, labels):
    """Leaders and weights by steps, from the losses of the steps that were complete by then."""
    losses = []
    for s in range(block.steps):
        span = slice(block.starts[s], block.starts[s + 1])
        known = labels[span] >= 0
        wrong = (members[:, span] != labels[span])[:, known].sum(axis=1)
        losses.append(wrong / max(known.sum(), 1))
    leader, totals, taken = len(members) - 1, np.zeros(len(members)), 0
    leaders, weights = [], []
    for t in range(block.steps):
        while taken < t - delay:
            totals = totals + losses[taken]
            taken += 1
            if totals.min() < totals[leader]:
                leader = int(np.flatnonzero(totals == totals.min())[-1])
        leaders.append(leader)
        w = np.exp(-np.sqrt(8 * np.log(len(totals)) / (t + 1)) * (totals - totals.min()))
        weights.append(w / w.sum())
    return np.array(leaders), np.array(weights)


@pytest.mark.parametrize("subroutine", ["nearest-mean", "logistic"])
@given(
    block=random_blocks(),
    delay=st.sampled_from([0, 1, 4]),
    history=st.sampled_from([2, (1, 3), (2, None)]),
    lost=st.sampled_from([0.0, 0.3]),
)
@settings(max_examples=12, deadline=None)
def test_it_agrees_with_the_definition(subroutine, block, delay, history, lost):
    labels = block.rows.labels.copy()
    labels[np.random.default_rng(0).random(len(labels)) < lost] = -1
    members, classes = members_of("labels", history, THRESHOLDS), classes_of(block)
    ensemble = general(
        members, "labels", subroutine, block.rows.columns, classes, with_probabilities=True
    )
    done = played(ensemble, block, after(delay, block.steps), labels)
    found = done.steps.predictions
    expected = slow_predictions(block, members, delay, labels, subroutine, classes)
    k = len(members)
    assert same(found[-k:], expected[:k])
    assert same(found[0], expected[-1])
    leaders, weights = slow_strategies(expected[:k], block, delay, labels)
    assert done.steps.leaders.tolist() == leaders.tolist()
    assert np.allclose([shown["ewa"]["weights"][0] for shown in done.shown], weights, rtol=1e-9)


@pytest.mark.parametrize("subroutine", ["nearest-mean", "logistic", "river:naive_bayes.GaussianNB"])
def test_without_delay_it_is_the_plain_run(subroutine):
    block = random_block(1, 3, [3, 1, 2, 5] * 8)
    members = members_of("labels", (1, 3), THRESHOLDS)

    def make():
        columns = block.rows.columns
        return general(members, "labels", subroutine, columns, 3, with_probabilities=True)

    plain, late = make(), make()
    whole = run(plain, block)
    done = played(late, block, after(0, block.steps), block.rows.labels).steps
    assert done.known.all()
    done = replace(done, known=None, labelled=None)
    assert_same_steps(whole.with_fewer_lists(), done.with_fewer_lists())
    for one, other in zip(plain.strategies, late.strategies, strict=True):
        assert pack(one.state()) == pack(other.state())


def test_a_late_label_is_not_known_before_it_is_told():
    """Shuffling the labels of a step changes nothing until that step is complete."""
    block = random_block(2, 2, [4] * 20)
    other = block.rows.labels.copy()
    other[block.starts[8] : block.starts[9]] = 1 - other[block.starts[8] : block.starts[9]]
    members = members_of("labels", 2, THRESHOLDS)
    found = []
    for labels in (block.rows.labels, other):
        ensemble = general(
            members, "labels", "logistic", block.rows.columns, 2, with_probabilities=True
        )
        done = played(ensemble, block, after(3, block.steps), labels)
        found.append(done.steps.probabilities)
    told = block.starts[12]  # three steps later the first is opened that may know of it
    assert same(found[0][:, :told], found[1][:, :told])
    assert not same(found[0][:, told:], found[1][:, told:])


@pytest.mark.parametrize(("distance", "history"), [("frames", 3), ("markov", 1)])
def test_a_step_without_labels_takes_no_place_where_h_counts_rows(distance, history):
    block = random_block(4, 2, [1] * 6)
    discrepancy = DISTANCES[distance].create(Shape(2, len(block.rows.columns.numbers), history))
    create = resolve("logistic")
    macro = Macro(0.5, discrepancy, history, lambda: create(("0", "1")), block.rows.columns)
    for s in range(6):
        rows = block.step(s)
        macro.complete(macro.open(), rows.cut(0, 0) if s in (3, 5) else rows)
    newest = [block.step(s).labels[0] for s in (1, 2, 4)]
    assert macro.recent().labels.tolist() == newest[-history:]
