"""Six months of arrivals in Atlanta, run as a user runs them."""

import polars as pl
from river.linear_model import LogisticRegression
from river.optim import SGD
from river.optim.schedulers import InverseScaling


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
    assert list(summary["thresholds"][0]) == ["threshold", "error", "subroutines"]
    assert {"seconds", "path", "rejected", "late", "settings"} <= summary.keys()
    assert summary["settings"]["distance"] == "labels"
    assert summary["settings"]["history"] == 6


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
