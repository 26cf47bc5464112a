"""Metrics and confusions as text."""

import pytest
from made_sessions import scene_of, session_over, write_stream
from made_views import texts

from macro_engine.run.view import METRICS, Confusion
from macro_tui.view.judged import UNDEFINED, confusion_table, lead_in_words, metric_lines
from macro_tui.view.metrics import metrics_rows


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
    session.thread.join(60)
    assert session.error is None
    yield session
    session.close()


def test_the_view_tells_all_metrics_of_late_and_since_the_start(session):
    scene = scene_of(session, "ftl", None)
    rows = texts(metrics_rows(scene, None))
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
        assert f"of class '{name}'" in texts(metrics_rows(scene, name))[0]
    assert any(row.startswith("last 40 steps") for row in texts(metrics_rows(scene, None)))
