import pytest

from macro_engine.discrepancy import DISTANCES
from macro_engine.options.presets import PRESETS, preset
from macro_engine.options.settings import Layer
from macro_engine.stream.opening import COMMAND_LINE, open_stream


def settings(tmp_path, name, toml="", **options):
    path = tmp_path / "d.csv"
    path.write_text("a,y\n1,p\n2,q\n")
    (tmp_path / "d.toml").write_text(toml)
    typed = Layer.read(COMMAND_LINE, options, of_user=True)
    return open_stream([path], [typed, preset(name)]).settings


@pytest.mark.parametrize(
    ("name", "distance"), [("paper-features", "features"), ("paper-labels", "labels")]
)
def test_the_experiments_on_flights(tmp_path, name, distance):
    found = settings(tmp_path, name)
    assert (found["distance"], found["history"], found["subroutine"]) == (distance, 1, "logistic")
    assert found["thresholds"] == list(DISTANCES[distance].thresholds)


def test_a_preset_is_weaker_than_options_and_stronger_than_files(tmp_path):
    toml = 'distance = "iid"\nhistory = 9\nsubroutine = "nearest-mean"\n'
    found = settings(tmp_path, "paper-features", toml)
    assert (found["distance"], found["history"], found["subroutine"]) == ("features", 1, "logistic")
    found = settings(tmp_path, "paper-features", toml, history="3", subroutine="vw")
    assert (found["distance"], found["history"], found["subroutine"]) == ("features", 3, "vw")


def test_a_distance_that_is_typed_discards_history_and_thresholds_of_the_preset(tmp_path):
    found = settings(tmp_path, "paper-features", distance="labels")
    assert found["thresholds"] == list(DISTANCES["labels"].thresholds)
    assert found["history"] == 1


BREAKFAST_LABELS = [0.01, 0.05, 0.1, 0.2, 0.5, 1.0]


@pytest.mark.parametrize(
    ("name", "options"), [("breakfast-labels", {}), ("breakfast", {"distance": "labels"})]
)
def test_the_label_distance_of_the_experiment_on_videos_has_its_own_grid(tmp_path, name, options):
    found = settings(tmp_path, name, **options)
    assert found["thresholds"] == BREAKFAST_LABELS
    assert (found["distance"], found["history"]) == ("labels", 5)
    assert (found["subroutine"], found["every"], found["scale"]) == ("nearest-mean", "1", "none")
    assert found["strategies"] == ["ftl", "ewa"]


def test_what_is_typed_beside_the_distance_wins_over_the_grid_of_the_preset(tmp_path):
    found = settings(tmp_path, "breakfast", distance="labels", thresholds=".3")
    assert (found["thresholds"], found["history"]) == ([0.3], 5)
    found = settings(tmp_path, "breakfast-labels", distance="frames", history="7")
    assert (found["thresholds"][:3], found["history"]) == ([1.0, 5.0, 6.0], 7)


def test_another_distance_than_those_of_the_experiment_takes_its_own_grid(tmp_path):
    found = settings(tmp_path, "breakfast", distance="features")
    assert found["thresholds"] == list(DISTANCES["features"].thresholds)


def test_every_preset_can_be_read_back():
    for name in PRESETS:
        layer = preset(name)
        assert Layer.read(name, layer.values).values == layer.values
