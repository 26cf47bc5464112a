"""Metrics and confusions as text."""

from dataclasses import replace

import numpy as np
import pytest
from made_sessions import scene_of, session_over, write_stream
from made_views import roles_of, texts

from macro_engine.core.totals import Totals
from macro_engine.run.view import METRICS, Confusion, History
from macro_tui.view.curves import render
from macro_tui.view.errors import curves_view, heading
from macro_tui.view.metric_tables import (
    UNDEFINED,
    confusion_table,
    lead_in_words,
    metric_lines,
    metric_text,
    metric_title,
)
from macro_tui.view.metrics import metrics_rows
from macro_tui.view.rows import row_width
from macro_tui.view.verdict import verdict


def test_undefined_values_are_a_dash():
    nothing = {"ftl": dict.fromkeys(METRICS)}
    assert metric_lines(nothing, {"ftl": "FTL"}) == [["FTL", *[UNDEFINED] * len(METRICS)]]


@pytest.mark.parametrize("name", METRICS)
def test_better_is_what_the_metric_says(name):
    metric = METRICS[name]
    words = lead_in_words(metric, 0.6, 0.4)
    assert ("better" in words) == metric.higher_is_better
    assert ("worse" in words) == (not metric.higher_is_better)
    assert lead_in_words(metric, 0.4, 0.4) == "level with"


def test_a_confusion_of_few_classes_is_a_table():
    assert confusion_table(Confusion("ftl", ((9, 1), (2, 1234))), ["no", "yes"]) == [
        ["label", "predicted no", "predicted yes"],
        ["no", "9", "1"],
        ["yes", "2", "1,234"],
    ]


def test_of_many_classes_the_worst_pairs_are_told():
    rows = [[0] * 9 for _ in range(9)]
    rows[3][3], rows[4][2], rows[0][8] = 1000, 7, 12
    table = confusion_table(Confusion("ftl", tuple(map(tuple, rows))), list("abcdefghi"))
    assert table == [["label", "taken for", "rows"], ["a", "i", "12"], ["e", "c", "7"]]


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    stream = write_stream(tmp_path_factory.mktemp("judged") / "d.csv")
    session = session_over(stream, strategies="ftl,ewa")
    session.start()
    session.thread.join(120)
    assert session.error is None
    yield session
    session.close()


def test_the_view_tells_all_metrics_of_late_and_since_the_start(session):
    scene = scene_of(session, "ftl", None)
    rows = texts(metrics_rows(scene))
    told = session.summary().judged
    assert f"of class '{told.of}', the rarest" in rows[0]
    for when, values in (("last 512 steps", told.recent), ("since the start", told.all)):
        place = next(i for i, row in enumerate(rows) if row.startswith(when))
        assert rows[place + 1].split() == [
            "error",
            "log",
            "loss",
            "balanced",
            "precision",
            "recall",
            "F1",
        ]
        expected = metric_lines(values, {"ewa": "EWA"})[0]
        assert expected in [row.split() for row in rows[place + 2 : place + 6]]
    assert all(len(row) <= 74 for row in rows)


def test_the_view_tells_of_the_class_that_was_named_and_of_the_past(session):
    classes = session.history.classes
    scene = scene_of(session, "ftl", 40)
    for name in classes:
        assert f"of class '{name}'" in texts(metrics_rows(replace(scene, named_class=name)))[0]
    assert any(row.startswith("last 40 steps") for row in texts(metrics_rows(scene)))


def by(session, name, **view):
    """The scene of a run that is judged by a metric."""
    scene = scene_of(session, "ftl", None)
    return replace(scene, metric=METRICS[name], view=replace(scene.view, **view))


@pytest.mark.parametrize("name", [name for name in METRICS if name != "error"])
def test_the_verdict_speaks_of_the_metric(session, name):
    told, metric = session.summary().judged, METRICS[name]
    (row,) = texts([verdict(by(session, name), 200)])
    own, baseline = (told.all[series][name] for series in ("ftl", "marginal"))
    assert row.startswith(f"MACRO: {metric_title(metric, told.of)} {metric_text(metric, own)}, ")
    assert f", {lead_in_words(metric, own, baseline)} the baseline; lately " in row
    assert row.endswith(f"; baseline {metric_text(metric, baseline)}")


def test_a_better_metric_is_good_whichever_way_is_better(session):
    for name in METRICS:
        scene = by(session, name)
        values = scene.values(np.array([scene.steps]), None)[:, 0]
        ahead = scene.ahead(values)[scene.history.index("ftl")]
        if name != "error":
            rows = [verdict(scene, 200)]
            assert roles_of(rows, " the baseline") == {"good" if ahead > 0 else "bad"}
        worse, better = values.copy(), values.copy()
        step = 1.0 if METRICS[name].higher_is_better else -1.0
        worse[scene.history.index("ftl")] = values[scene.history.index("marginal")] - step
        better[scene.history.index("ftl")] = values[scene.history.index("marginal")] + step
        assert scene.ahead(worse)[scene.history.index("ftl")] == pytest.approx(-1.0)
        assert scene.ahead(better)[scene.history.index("ftl")] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("name", "mode", "unit"),
    [
        ("recall", "lead", "points"),
        ("recall", "window", "%"),
        ("logloss", "lead", "nats ahead"),
        ("logloss", "cumulative", "nats"),
    ],
)
def test_the_chart_shows_the_metric(session, name, mode, unit):
    scene = by(session, name, mode=mode)
    view = curves_view(scene)
    assert view.unit == unit
    assert METRICS[name].title in heading(scene)
    told = session.summary().judged
    values = told.all if mode == "cumulative" else told.recent
    own, baseline = (values[series][name] for series in ("ftl", "marginal"))
    expected = scene.ahead(np.array([baseline, 0.0, own]))[2] if mode == "lead" else own
    assert view.series[0].now == pytest.approx(expected * (100 if METRICS[name].is_share else 1))
    for width, height in ((80, 12), (30, 5), (160, 30)):
        assert len(render(view, width, height)) == height


def test_what_is_undefined_is_said_and_draws_nothing(session):
    scene = by(session, "precision")
    nothing = replace(scene.history.names, classes=3)
    history = History(nothing, ("0", "1", "never"), scene.history.load)
    for part in scene.history.newest:
        sums = Totals.nothing(nothing).sums * np.nan
        history.append(replace(part, before=replace(part.before, names=nothing, sums=sums)))
    scene = replace(scene, history=history, named_class="never")
    told = texts([verdict(scene, 200)])[0]
    assert told == "MACRO: precision of 'never' is undefined; EWA -; baseline -"
    assert not any(np.isfinite(series.values).any() for series in curves_view(scene).series)


def test_the_tables_fit_beside_a_bar_to_scroll_at_80_columns(session):
    assert max(map(row_width, metrics_rows(by(session, "error")))) <= 72
