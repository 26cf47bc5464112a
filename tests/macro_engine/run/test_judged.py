"""What people judge by stands in the summary, the document and the run file."""

from contextlib import closing

import numpy as np
import polars as pl
import pytest
from made_runs import engine, run, run_until, write_stream

from macro_engine.core.errors import UsageError
from macro_engine.core.metrics import METRICS
from macro_engine.run.score.recent_sums import WINDOW
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.summary import Summary


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return write_stream(tmp_path_factory.mktemp("judged") / "d.csv", rows=8000)


@pytest.fixture(scope="module")
def finished(stream, tmp_path_factory):
    """A run, and its predictions."""
    folder = tmp_path_factory.mktemp("judged")
    made = run(engine(stream, folder / "a.run", predictions=folder / "p.parquet"))
    return made, pl.read_parquet(folder / "p.parquet"), folder / "a.run"


def test_the_document_tells_every_metric_of_every_series(finished, scikit_learn):
    metrics, (made, rows, _) = scikit_learn.metrics, finished
    told = made.summary()["metrics"]
    assert told["class"] == rows["label"].value_counts().sort("count")["label"][0]
    assert told["recent_steps"] == WINDOW < made.steps
    late = rows.filter(pl.col("step") >= made.steps - WINDOW)
    for part, values in ((rows, told["all"]), (late, told["recent"])):
        assert list(values) == ["marginal", "no_change", "ftl", "ewa"]
        assert all(list(line) == list(METRICS) for line in values.values())
        labels = part["label"].to_list()
        expected = metrics.f1_score(labels, part["ewa"].to_list(), pos_label=told["class"])
        assert values["ewa"]["f1"] == pytest.approx(expected)
        loss = metrics.log_loss(labels, part["p_1"].cast(pl.Float64).to_list())
        assert values["ftl"]["logloss"] == pytest.approx(loss, rel=1e-6)


def test_the_confusion_is_that_of_the_strategy(finished, scikit_learn):
    made, rows, _ = finished
    told = made.summary()["confusion"]
    assert told["strategy"] == "ftl"
    matrix = scikit_learn.metrics.confusion_matrix
    expected = matrix(rows["label"].to_list(), rows["ftl"].to_list())
    assert told["rows"] == expected.tolist()


def test_the_run_file_has_the_same_summary(finished):
    made, _, path = finished
    with closing(RunReader(path)) as reader:
        assert reader.info["summary"]["metrics"] == made.summary()["metrics"]
    read = Summary.read(made.summary(), ["d.csv"], made.rejections)
    assert read.judged.all == made.summary()["metrics"]["all"]
    assert read.confusion.rows == tuple(map(tuple, made.summary()["confusion"]["rows"]))


def test_a_resumed_run_tells_the_same(finished, stream, tmp_path):
    path = tmp_path / "b.run"
    run_until(engine(stream, path), finished[0].steps // 2)
    resumed = run(engine(stream, path)).summary()
    whole = finished[0].summary()
    assert resumed["metrics"] == whole["metrics"]  # to the last bit
    assert resumed["confusion"] == whole["confusion"]


def test_another_metric_or_class_goes_on_with_the_same_run(finished, stream, tmp_path):
    path = tmp_path / "c.run"
    run_until(engine(stream, path), 100)
    other = "0" if finished[0].summary()["metrics"]["class"] == "1" else "1"
    resumed = run(engine(stream, path, metric="f1", **{"class": other})).summary()
    assert resumed["steps"] == finished[0].steps
    assert resumed["metrics"]["class"] == other
    assert resumed["settings"]["metric"] == "f1"


def test_probabilities_are_computed_for_the_log_loss(stream):
    plain = run(engine(stream)).summary()["metrics"]["all"]
    asked = run(engine(stream, metric="logloss")).summary()["metrics"]["all"]
    assert {line["logloss"] for line in plain.values()} == {None}
    assert all(np.isfinite(line["logloss"]) for line in asked.values())


def test_a_class_that_there_is_not_is_named_with_those_there_are(stream):
    with pytest.raises(UsageError, match="--class: there is no class 'x'; there are 0, 1"):
        run(engine(stream, **{"class": "x"}))
    with pytest.raises(UsageError, match="--class: there is no class 'x'; there are 0, 1"):
        engine(stream, classes="0,1", **{"class": "x"})


def test_an_unknown_metric_is_refused_with_all_names(stream):
    with pytest.raises(UsageError, match=f"--metric: 'auc'.*one of: {', '.join(METRICS)}"):
        engine(stream, metric="auc")
