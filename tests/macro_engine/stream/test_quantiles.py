"""Thresholds from the first rows."""

import numpy as np
import pytest
from made_runs import SETTINGS, engine, live_engine, outputs, run, run_until_read, write_stream

from macro_engine import replay
from macro_engine.core.errors import MacroError
from macro_engine.discrepancy import Features
from macro_engine.stream.quantiles import SHARES

OPTIONS = {"features": "a,b", "label": "late", "distance": "features", "strategies": "ftl"}


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv", rows=1200)


def by_hand(stream, every, history, first):
    """The definition, written down once more: all rows scaled, then all pairs of steps."""
    with replay(stream, every=every, thresholds=[1.0], **OPTIONS) as result:
        assert result.summary["settings"]["scale"] == "running"
    lines = [line.split(",") for line in stream.read_text().splitlines()[1:]][:first]
    x = np.array([[float(a), float(b)] for _, a, b, _, _ in lines])
    labels = np.array([int(line[-1]) for line in lines])
    z, n, mu, var = np.zeros_like(x), 0, np.zeros(2), np.zeros(2)
    for start in range(0, first, every):
        step = x[start : start + every]
        sd = np.sqrt(var)
        z[start : start + every] = np.clip((step - mu) / np.where(sd > 0, sd, np.inf), -4, 4)
        for v in step:
            n += 1
            v = np.where(var > 0, np.clip(v, mu - 8 * np.sqrt(var), mu + 8 * np.sqrt(var)), v)
            delta = v - mu
            mu = mu + delta / n
            var = (1 - 1 / n) * (var + delta * delta / n)
    distance = Features(2, 2)
    rows = [slice(max(0, t - history * every), t) for t in range(0, first, every)]
    histories = [[z[r][labels[r] == c] for c in (0, 1)] for r in rows]
    found = [distance.between(s, t) for i, s in enumerate(histories) for t in histories[:i]]
    finite = np.sort([d for d in found if np.isfinite(d)])
    return sorted({finite[int(q * (len(finite) - 1))] for q in SHARES})


@pytest.mark.parametrize(
    ("every", "first"),
    [(10, 500), (30, 600), pytest.param(1, 500, marks=pytest.mark.slow), (7, 504)],
)
def test_they_are_quantiles_of_the_distances_of_all_pairs_of_steps(stream, every, first):
    with replay(stream, every=every, **OPTIONS) as result:
        found = result.summary["settings"]["thresholds"]
        assert [member["threshold"] for member in result.summary["thresholds"]] == found
    assert found == pytest.approx(by_hand(stream, every, 1, first), rel=1e-12)


def test_the_run_is_that_with_the_thresholds_named(stream):
    with replay(stream, every=5, **OPTIONS) as one:
        named = one.summary["settings"]["thresholds"]
        with replay(stream, every=5, thresholds=named, **OPTIONS) as other:
            assert one.predictions.equals(other.predictions)
            assert one.trace.equals(other.trace)


def test_a_stream_that_ends_before_gives_what_it_has(tmp_path):
    short = write_stream(tmp_path / "d.csv", rows=60)
    with replay(short, every=10, **OPTIONS) as result:
        assert result.summary["rows"] == 60
        assert 0 < len(result.summary["settings"]["thresholds"]) <= len(SHARES)


def test_a_stream_of_one_step_has_none(tmp_path):
    short = write_stream(tmp_path / "d.csv", rows=8)
    with pytest.raises(MacroError, match="name thresholds"):
        replay(short, every=10, classes="0,1", **OPTIONS)


def test_bounds_and_presets_take_those_of_the_paper(stream):
    (stream.parent / "d.toml").write_text("[bounds]\na = [0.0, 3.0]\nb = [0.0, 1.0]\n")
    with replay(stream, every=10, **OPTIONS) as result:
        assert result.summary["settings"]["thresholds"][0] == 0.15


@pytest.mark.slow
def test_a_tail_that_is_stopped_again_and_again_finds_the_same(tmp_path):
    stream, growing = write_stream(tmp_path / "d.csv", rows=900), tmp_path / "live.csv"
    lines = stream.read_text().splitlines(keepends=True)
    options = {"distance": "features", "every": "10", "history": "1", "classes": "0,1"}
    assert "thresholds" not in SETTINGS
    whole, parts = outputs(tmp_path, "whole"), outputs(tmp_path, "parts")
    run(engine(stream, **whole, **options))
    for rows in (100, 320, 700, 900):
        growing.write_text("".join(lines[: rows + 1]))
        last = rows == 900
        made = live_engine(growing, tmp_path / "a.run", **(parts if last else {}), **options)
        run_until_read(made, rows)
    one, other = whole["trace"].read_text(), parts["trace"].read_text()
    assert other.startswith(one[: len(other) // 2])
    assert one.startswith(other)
