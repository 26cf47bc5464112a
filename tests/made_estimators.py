"""Rows by names for the estimator, and the comparison of its two paths."""

from __future__ import annotations

import random


def random_rows(seed, rows=80, columns=5, sparse=None, classes=2, grows=False):
    """Rows whose names come in any order; with `grows`, names and classes appear over time."""
    rng = random.Random(seed)
    for i in range(rows):
        known = min(columns, 1 + i * columns // rows) if grows else columns
        names = [f"f{j}" for j in rng.sample(range(known), min(sparse or known, known))]
        x = {name: rng.gauss(0, 1) if rng.random() < 0.8 else 0.0 for name in names}
        among = min(classes, 1 + 2 * i * classes // rows) if grows else classes
        label = rng.randrange(among) if rng.random() < 0.5 else int(abs(sum(x.values())) * 2)
        yield x, f"c{label % among}"


def assert_same(general, compiled, x):
    said = list(compiled.predict_proba_one(x).items())
    assert said == list(general.predict_proba_one(x).items())
    assert compiled.predict_one(x) == general.predict_one(x)
    for name in ("n_subroutines", "births", "active", "weights"):
        assert getattr(compiled, name) == getattr(general, name)
