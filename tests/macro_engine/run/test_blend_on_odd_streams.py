"""Blend in runs over streams that are short of something; and what it costs where it cannot win."""

import io
import math
from contextlib import redirect_stderr

import numpy as np
import polars as pl
import pytest
from made_ensembles import compiled, members_of, predictions_of, run

from macro_engine.core.rows import Block, Columns, Rows
from macro_tui.cli import main

DRAWN = np.random.default_rng(3)


def labels(rows, classes=2):
    return [f"c{c:02}" for c in DRAWN.integers(0, classes, rows)]


def numbers(rows):
    return DRAWN.normal(size=rows).round(4)


def letters(rows):
    return list(map(str, DRAWN.choice(list("abc"), rows)))


STREAMS = {
    "no columns": {"y": labels(300)},
    "one column": {"a": numbers(300), "y": labels(300)},
    "categories only": {"a": letters(300), "b": letters(300), "y": labels(300)},
    "forty classes": {"a": numbers(450), "y": labels(450, 40)},
    "a class seen late": {"a": numbers(600), "y": labels(580) + ["c02"] * 20},
    "one label for long": {"a": numbers(600), "y": ["c00"] * 599 + ["c01"]},
    "a column all missing": {"a": numbers(300), "b": [""] * 300, "y": labels(300)},
    "huge numbers": {"a": numbers(300) * 1e140, "y": labels(300)},
}


@pytest.mark.parametrize("every", ["1", "100000"])
@pytest.mark.parametrize("name", STREAMS)
def test_its_probabilities_are_probabilities(tmp_path, name, every):
    stream = pl.DataFrame(STREAMS[name])
    stream.write_csv(tmp_path / "d.csv")
    numeric = [n for n in stream.columns[:-1] if stream[n].dtype == pl.Float64]
    categorical = [n for n in stream.columns[:-1] if n not in numeric]
    if name == "a column all missing":
        numeric, categorical = ["a", "b"], []
    command = [
        "replay", str(tmp_path / "d.csv"), "--headless", "--time", "", "--label", "y",
        "--features", ",".join(numeric), "--categorical", ",".join(categorical),
        "--classes", ",".join(sorted(set(stream["y"]))), "--every", every, "--missing", "mean",
        "--history", "6", "--predictions", str(tmp_path / "p.parquet"),
    ]  # fmt: skip
    with redirect_stderr(io.StringIO()):
        assert main(command) == 0
    found = pl.read_parquet(tmp_path / "p.parquet")
    p = found.select(pl.col("^p_.*$")).to_numpy()
    assert len(p) == len(stream)
    assert np.isfinite(p).all()
    assert (p > 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-5)


def test_where_the_marginal_baseline_is_the_best_there_is_blend_costs_little():
    columns = Columns(tuple("abcde"))
    members = members_of("labels", (6, 36), (0.01, 0.05, 0.1, 0.3, math.inf))
    gaps = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        x, w = rng.normal(size=(5000, 5)).clip(-4, 4), rng.normal(size=5)
        y = (rng.random(5000) < 1 / (1 + np.exp(-(x @ w + 0.3)))).astype(np.int64)
        units = 1 / (1 + np.exp(-1.7 * x))
        rows = Rows(x, np.empty((5000, 0), np.int64), y, columns, units=units)
        names = ("ftl", "blend")
        ensemble = compiled(members, "labels", "logistic", columns, 2, strategies=names)
        steps = run(ensemble, Block(rows, np.arange(5001), None, 0, 0))
        wrong = {name: (predictions_of(steps, name) != y).mean() for name in ("marginal", "blend")}
        gaps.append(100 * (wrong["blend"] - wrong["marginal"]))
    assert np.mean(gaps) <= 0.7
    assert max(gaps) <= 1.5
