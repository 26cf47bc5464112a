"""The estimator on compiled loops gives what it gives on the general path, to the last bit."""

import math
import pickle
import random
import subprocess
import sys
from copy import deepcopy

import numpy as np
import pytest
from made_estimators import assert_same, random_rows

from macro_engine.core.members import grid
from macro_engine.discrepancy import DISTANCES
from macro_engine.estimator import MacroClassifier
from macro_engine.estimator.compiled_path import CompiledPath
from macro_engine.estimator.general_path import GeneralPath
from macro_engine.estimator.path_settings import PathSettings


def both_paths(
    distance="labels",
    history=None,
    thresholds=None,
    strategy="ftl",
    every=1,
    power=0.0,
    most=None,
    empty_class="far",
    learning_rate="sqrt",
):
    known = DISTANCES[distance]
    members = grid(history or [known.history], thresholds or known.thresholds)
    settings = PathSettings(
        members, distance, strategy, every, power, most, empty_class, False, learning_rate
    )
    return GeneralPath(settings), CompiledPath(settings)


GROWING = {"classes": 4, "grows": True}
CASES = {
    "the defaults": ({}, {}),
    "ewa": ({"strategy": "ewa"}, {}),
    "steps of rows": ({"every": 3}, {}),
    "ewa over steps": ({"strategy": "ewa", "every": 7}, {"classes": 3}),
    "all that grows": ({"strategy": "ewa", "every": 4}, GROWING | {"columns": 40, "sparse": 3}),
    "one class after the other": ({}, {"classes": 9, "grows": True}),
    "histories": (
        {"history": [2, 6, "all"], "thresholds": (0.05, 0.3, math.inf), "power": 0.2},
        {"classes": 3},
    ),
    "no more than two": ({"most": 2, "history": [3]}, {}),
    "infinity alone": ({"thresholds": (math.inf,), "strategy": "ewa"}, GROWING),
    "iid": ({"distance": "iid"}, {}),
    "a step that stays the same": ({"learning_rate": 0.05, "every": 2}, GROWING),
    "markov": ({"distance": "markov", "every": 2}, {"columns": 1} | GROWING),
    "frames": ({"distance": "frames", "thresholds": (1.0, 2.0)}, GROWING),
    "features": ({"distance": "features", "thresholds": (0.5, 1.0, 2.0), "every": 5}, GROWING),
    "features, two histories": (
        {"distance": "features", "history": [1, 3], "thresholds": (0.5, 2.0), "every": 4},
        {"columns": 2},
    ),
    "features, skip": (
        {"distance": "features", "empty_class": "skip", "every": 3, "thresholds": (0.3, 0.9)},
        {"columns": 2, "classes": 3},
    ),
    "features, zero": (
        {"distance": "features", "empty_class": "zero", "every": 2, "most": 4, "strategy": "ewa"},
        {"columns": 1},
    ),
    "features, sparse": (
        {"distance": "features", "every": 6, "thresholds": (1.0, 1.5, 1.8)},
        {"columns": 30, "sparse": 3},
    ),
}


@pytest.mark.parametrize(("seed", "case"), list(enumerate(CASES)))
def test_both_paths_say_the_same(case, seed):
    settings, stream = CASES[case]
    general, compiled = both_paths(**settings)
    rng = random.Random(-seed)
    for x, label in random_rows(seed, **stream):
        assert_same(general, compiled, x | ({"never": 1.0} if rng.random() < 0.2 else {}))
        general.learn_one(x, label)
        compiled.learn_one(x, label)
    assert_same(general, compiled, {})


def test_subroutines_that_differ_are_not_one_learner():
    """The members have other thresholds and births here, so that learners must part."""
    settings = {"history": [4], "thresholds": (0.01, 0.1, 0.2, 0.6), "every": 2}
    general, compiled = both_paths(**settings)
    for x, label in random_rows(11, rows=300, classes=3):
        assert_same(general, compiled, x)
        general.learn_one(x, label)
        compiled.learn_one(x, label)
    assert len({tuple(steps) for steps in compiled.births}) == 4


def test_values_of_other_types_are_the_same_numbers():
    general, compiled = both_paths()
    rows = [
        ({"a": 1, "b": True, "c": np.float32(0.5)}, 0),
        ({"a": np.int64(2), "b": np.bool_(False), "c": "text"}, 1),
        ({1: 0.5, "a": 2**70, None: -1.0}, 1),
        ({"c": None, "b": np.float64(0.25)}, 0),
        ({}, 1),
    ]
    for x, label in rows * 4:
        assert_same(general, compiled, x)
        general.learn_one(x, label)
        compiled.learn_one(x, label)


def test_keys_that_are_whole_numbers_are_names_too():
    general, compiled = both_paths()
    rng = random.Random(3)
    for i in range(60):
        x = {key: rng.gauss(0, 1) for key in rng.sample(range(4), 2)}
        for row in (x, {True: 1.0}, {"1": 0.5}, {1: 0.5, "1": 2.0}, {1.0: 0.5}):
            assert_same(general, compiled, row)
        learned = x if i % 10 else {"1": 1.0, 2: 0.5, True: 3.0}
        general.learn_one(learned, i % 3 == 0)
        compiled.learn_one(learned, i % 3 == 0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e150, -1e150, 10**200])
def test_a_row_that_is_refused_changes_nothing(value):
    rows = list(random_rows(0, rows=20))
    spoilt, clean = both_paths()[1], both_paths()[1]
    for x, label in rows:
        for bad in ({"f0": value}, {"new": value}, {"f0": 1.0, "new": value}):
            with pytest.raises(ValueError, match="would spoil the model"):
                spoilt.learn_one(bad, "new class")
            if spoilt.classes:
                with pytest.raises(ValueError, match="would spoil the model"):
                    spoilt.predict_one(bad)
        spoilt.learn_one(x, label)
        clean.learn_one(x, label)
        assert_same(clean, spoilt, x)
    assert spoilt.classes == clean.classes


@pytest.mark.parametrize("copy", [deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
@pytest.mark.parametrize("settings", [{"every": 3}, {"distance": "features", "every": 4}])
def test_a_copy_goes_on_like_the_original_and_shares_nothing(copy, settings):
    rows = list(random_rows(4, rows=90, **GROWING))
    whole, first = MacroClassifier(**settings), MacroClassifier(**settings)
    for x, label in rows[:50]:
        whole.learn_one(x, label)
        first.learn_one(x, label)
    second, untouched = copy(first), first.predict_proba_one(rows[0][0])
    for x, label in rows[50:]:
        assert second.predict_proba_one(x) == whole.predict_proba_one(x)
        whole.learn_one(x, label)
        second.learn_one(x, label)
    assert first.predict_proba_one(rows[0][0]) == untouched
    assert second.births == whole.births


def test_its_state_has_nothing_of_the_compiler():
    model = MacroClassifier()
    model.learn_one({"a": 1.0}, True)
    assert b"numba" not in pickle.dumps(model)


@pytest.mark.slow
def test_nothing_is_compiled_before_the_first_row():
    code = (
        "from macro_engine import MacroClassifier\n"
        "from macro_engine.estimator.kernels.opening import choose\n"
        "MacroClassifier().predict_one({'a': 1.0})\n"
        "print(len(choose.signatures))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"


def test_a_clone_has_learned_nothing():
    model = MacroClassifier(every=2, strategy="ewa")
    for x, label in random_rows(0, rows=20):
        model.learn_one(x, label)
    assert model.clone().predict_proba_one({"f0": 1.0}) == {}


def test_it_runs_on_compiled_loops_with_its_own_learner():
    assert isinstance(MacroClassifier()._path, CompiledPath)
    assert isinstance(MacroClassifier(strategy="ewa", distance="frames")._path, CompiledPath)
