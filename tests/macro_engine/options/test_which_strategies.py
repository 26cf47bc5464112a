"""Which strategies a run computes, and whose prediction is the prediction."""

import pytest

from macro_engine.core.errors import UsageError
from macro_engine.core.toml import to_toml
from macro_engine.options.presets import PRESETS, preset
from macro_engine.options.settings import Layer
from macro_engine.stream.opening import COMMAND_LINE, open_stream
from macro_tui.cli import parser_of
from macro_tui.cli.options import layers_from
from macro_tui.replays import find_recording

ALL = ["ftl", "ewa", "blend"]


@pytest.fixture
def stream(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a,b,y\n1,2,p\n3,4,q\n")
    return path


def settings_of(path, *weaker, **options):
    return open_stream([path], [Layer.read(COMMAND_LINE, options, of_user=True), *weaker]).settings


def chosen(settings):
    return settings["strategies"], settings["strategy"]


def test_a_stream_without_description_is_run_with_all_and_blend_predicts(stream):
    assert chosen(settings_of(stream)) == (ALL, "blend")


def test_a_shipped_replay_is_run_with_those_of_the_paper_and_ftl_predicts():
    replay = find_recording("airline-ATL")
    assert chosen(settings_of(replay)) == (["ftl", "ewa"], "ftl")
    assert chosen(settings_of(replay, blend=True)) == (ALL, "blend")
    assert chosen(settings_of(replay, blend=True, strategy="ewa")) == (ALL, "ewa")


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_asks_for_those_of_the_paper(stream, name):
    assert chosen(settings_of(stream, preset(name))) == (["ftl", "ewa"], "ftl")
    assert chosen(settings_of(stream, preset(name), blend=True)) == (ALL, "blend")


def test_what_is_named_is_computed_and_nothing_else(stream):
    assert chosen(settings_of(stream, strategies="ewa,ftl")) == (["ftl", "ewa"], "ftl")
    assert chosen(settings_of(stream, strategies="ewa")) == (["ewa"], "ewa")
    assert chosen(settings_of(stream, strategies="ewa", blend=True)) == (["ewa", "blend"], "blend")


def test_the_command_line_has_a_flag(stream):
    parser = parser_of("replay")
    bare = parser.parse_args(["replay", str(stream), "--preset", "paper-labels"])
    added = parser.parse_args(["replay", str(stream), "--preset", "paper-labels", "--blend"])
    assert chosen(open_stream([stream], layers_from(bare)).settings) == (["ftl", "ewa"], "ftl")
    assert chosen(open_stream([stream], layers_from(added)).settings) == (ALL, "blend")


def test_a_prediction_of_blend_that_is_not_computed_is_refused_with_the_cure():
    with pytest.raises(UsageError, match="add --blend"):
        settings_of(find_recording("airline-ATL"), strategy="blend")


def test_blend_in_a_file_is_true_or_false(stream):
    stream.with_suffix(".toml").write_text("blend = 1\n")
    with pytest.raises(UsageError, match="blend: '1' is neither true nor false"):
        settings_of(stream)


def test_settings_that_are_written_down_leave_the_choice_of_the_prediction_open(stream):
    settings = settings_of(stream, strategies="ftl,ewa")
    written = {n: v for n, v in settings.values.items() if n not in settings.following}
    stream.with_suffix(".toml").write_text(to_toml(written))
    assert chosen(settings_of(stream)) == (["ftl", "ewa"], "ftl")
    assert chosen(settings_of(stream, blend=True)) == (ALL, "blend")
