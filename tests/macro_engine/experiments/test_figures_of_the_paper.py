"""The paper's tables as numbers."""

import pytest

from macro_engine.experiments.paper_figures import ACTIVITIES, AIRPORTS, FLIGHTS, VIDEOS
from macro_engine.options.presets import preset


def test_every_table_has_a_figure_for_each_place_and_row():
    for tables, places in ((FLIGHTS, AIRPORTS), (VIDEOS, ACTIVITIES)):
        for table in tables.values():
            assert sorted(table.places) == sorted(places)
            assert list(table.series) == ["marginal", "ftl", "ewa"]
            rows = [*table.series.values(), *table.thresholds.values()]
            assert all(len(row) == len(places) and 5 <= min(row) <= max(row) <= 32 for row in rows)


@pytest.mark.parametrize(
    ("tables", "distance", "learner", "name"),
    [
        (FLIGHTS, "features", "logistic", "paper-features"),
        (FLIGHTS, "labels", "vw", "paper-labels"),
        (VIDEOS, "labels", "nearest-mean", "breakfast-labels"),
    ],
)
def test_the_presets_take_the_thresholds_of_the_tables(tables, distance, learner, name):
    assert list(tables[distance, learner].thresholds) == preset(name).values["thresholds"]


def test_the_baseline_does_not_depend_on_the_distance():
    for learner in ("logistic", "vw"):
        for airport in AIRPORTS:
            errors = {
                FLIGHTS[d, learner].error(airport, "marginal") for d in ("features", "labels")
            }
            assert len(errors) == 1
    for activity in ACTIVITIES:  # one of its tables has two columns in another order
        errors = {
            VIDEOS[d, "nearest-mean"].error(activity, "marginal") for d in ("frames", "labels")
        }
        assert len(errors) == 1


def test_what_the_paper_does_not_print_is_none():
    table = FLIGHTS["features", "logistic"]
    assert table.error("DFW", "threshold", 0.34) == 21.3
    assert table.error("DFW", "threshold", 0.35) is None
    assert table.error("DFW", "no_change") is None
    assert table.error("JFK", "ftl") is None
