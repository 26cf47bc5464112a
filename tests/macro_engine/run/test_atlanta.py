"""Six months of arrivals in Atlanta, run as a user runs them."""

import json

import polars as pl
import pytest
from made_streams import equal_or_both_missing, same
from river.linear_model import LogisticRegression
from river.optim import SGD
from river.optim.schedulers import InverseScaling

from macro_engine.algorithm.compiled_family import CompiledFamily, CompiledSettings
from macro_engine.algorithm.macro import Macro
from macro_engine.core.members import grid
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.subroutines.logistic import Logistic
from macro_tui.cli import main


def test_ftl_is_well_below_the_marginal_baseline(atlanta_run):
    errors = atlanta_run.summary["errors"]
    assert errors["ftl"] <= 0.173
    assert errors["ftl"] < errors["marginal"] - 0.015
    assert errors["ewa"] < errors["marginal"] - 0.015


def test_the_document_has_the_promised_keys(atlanta_run):
    summary = atlanta_run.summary
    assert (summary["rows"], summary["steps"]) == (124_232, 20_381)
    assert summary["classes"] == ["0", "1"]
    assert list(summary["errors"]) == ["marginal", "no_change", "ftl", "ewa"]
    first = ["history", "threshold", "error", "subroutines"]
    assert list(summary["thresholds"][0]) == [*first, "used", "least_learned"]
    assert {"seconds", "path", "rejected", "late", "settings"} <= summary.keys()
    assert summary["settings"]["distance"] == "labels"
    assert summary["settings"]["history"] == 6


@pytest.mark.slow
def test_the_marginal_baseline_is_one_river_model_prediction_by_prediction(atlanta, atlanta_run):
    model = LogisticRegression(optimizer=SGD(InverseScaling(1.0)), intercept_lr=InverseScaling(1.0))
    expected = []
    for s in range(atlanta.steps):
        rows = atlanta.step(s)
        expected += [model.predict_one(x) for x in rows.dicts]
        for x, label in zip(rows.dicts, rows.labels, strict=True):
            model.learn_one(x, bool(label))
    found = atlanta_run.predictions["marginal"][: len(expected)] == "1"
    assert found.to_list() == expected
    assert len(expected) > 124_000


def test_births_keep_the_laws(atlanta_run):
    for (threshold,), trace in atlanta_run.trace.group_by("threshold", maintain_order=True):
        born, close = trace["born"], trace["close"]
        assert (
            trace["subroutines"].diff().drop_nulls().to_list() == born[1:].cast(pl.Int64).to_list()
        )
        assert (trace.filter(born)["active"] == trace.filter(born)["subroutines"]).all()
        assert (close.filter(born) == 1).all()
        assert trace["distance"].is_null().to_list() == born.to_list()
        assert (trace.filter(~born)["distance"] <= threshold).all()
        assert (close >= 1).all()


def test_larger_thresholds_need_fewer_subroutines(atlanta_run):
    counts = [t["subroutines"] for t in atlanta_run.summary["thresholds"]]
    assert counts[0] > counts[-1] > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("distance", "history", "threshold", "steps"),
    [("labels", 6, 0.05, None), ("features", 1, 0.31, 8_000)],
)
def test_the_compiled_path_gives_every_row_what_the_definition_gives_it(
    atlanta, distance, history, threshold, steps
):
    atlanta = atlanta.cut(0, steps or atlanta.steps)
    shape = Shape(2, 4, history)
    columns = atlanta.rows.columns
    settings = CompiledSettings(grid([history], [threshold]), distance, shape, "logistic")
    result = CompiledFamily(settings, columns).run(atlanta)
    definition = Macro(
        threshold, DISTANCES[distance].create(shape), history, lambda: Logistic(2), columns
    )
    for s in range(atlanta.steps):
        rows = atlanta.step(s)
        choice = definition.open()
        assert choice.active == result.active[0, s]
        assert choice.born == result.born[0, s]
        assert equal_or_both_missing(choice.distance, result.distance[0, s])
        found = result.predictions[0, atlanta.starts[s] : atlanta.starts[s + 1]]
        assert same(definition.predict(choice, rows), found)
        definition.complete(choice, rows)


@pytest.mark.parametrize("airport", ["ORD", "DEN", "PHX", "IAH", "LAS", "DFW"])
def test_ftl_is_below_the_marginal_baseline_at_every_airport(airport, capsys):
    stream = f"airline-{airport}.parquet"
    assert main(["replay", stream, "--strategies", "ftl", "--headless", "--json"]) == 0
    errors = json.loads(capsys.readouterr().out)["errors"]
    assert errors["ftl"] < errors["marginal"]
