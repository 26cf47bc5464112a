"""What a stream gets that nobody described."""

import math

import pytest

from macro_engine.core.toml import to_toml
from macro_engine.options.presets import preset
from macro_engine.options.settings import Layer
from macro_engine.stream.opening import COMMAND_LINE, open_stream

LABELS = [0.005, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5]


def opened(tmp_path, *weaker, **options):
    path = tmp_path / "flights.csv"
    path.write_text("a,b,y\n1,2,p\n3,4,q\n")
    return open_stream([path], [Layer.read(COMMAND_LINE, options, of_user=True), *weaker])


def test_one_row_a_step_with_two_histories_and_every_strategy(tmp_path):
    settings = opened(tmp_path).settings
    assert (settings["every"], settings["distance"]) == ("1", "labels")
    assert settings["history"] == [6, 36]
    assert settings["thresholds"] == [0.01, 0.05, 0.1, 0.3, math.inf]
    assert settings.most_subroutines == 64
    assert settings["strategies"] == ["ftl", "ewa", "blend"]


@pytest.mark.parametrize("every", ["10", "10m"])
def test_a_longer_step_brings_the_history_and_thresholds_of_the_distance(tmp_path, every):
    settings = opened(tmp_path, every=every, time="a").settings
    assert (settings["history"], settings["thresholds"]) == (1, LABELS)
    assert settings.most_subroutines == 64


def test_another_distance_brings_its_own(tmp_path):
    settings = opened(tmp_path, distance="frames").settings
    assert (settings["history"], settings["thresholds"][0]) == (5, 1.0)


def test_what_is_named_stands(tmp_path):
    settings = opened(tmp_path, thresholds=".2", max_subroutines="none").settings
    assert (settings["history"], settings["thresholds"]) == ([6, 36], [0.2])
    assert settings.most_subroutines is None
    assert opened(tmp_path, thresholds="paper").settings["thresholds"] == LABELS


def test_a_preset_keeps_the_papers_settings(tmp_path):
    settings = opened(tmp_path, preset("paper-labels")).settings
    assert (settings["history"], settings["thresholds"]) == (1, LABELS)
    assert (settings.most_subroutines, settings["strategies"]) == (None, ["ftl", "ewa"])


def test_settings_that_are_written_down_make_the_same_run_without_the_preset(tmp_path):
    before = opened(tmp_path, preset("paper-labels")).settings
    (tmp_path / "flights.toml").write_text(to_toml(before.written()))
    after = opened(tmp_path).settings
    assert after.written() == before.written()
    assert after.most_subroutines is None


def test_a_history_of_one_label_is_said_to_be_degenerate_with_the_cure(tmp_path):
    remarks = opened(tmp_path, history="1").remarks
    assert any("below 2 is the same algorithm" in r and "--history 6,36" in r for r in remarks)
    for other in ({"history": "1,6"}, {"history": "1", "every": "20"}, {"distance": "frames"}):
        assert not any("same algorithm" in r for r in opened(tmp_path, **other).remarks)
