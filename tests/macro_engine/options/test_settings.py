"""Which setting wins, and what is refused."""

import pytest

from macro_engine.core.errors import UsageError
from macro_engine.core.toml import to_toml
from macro_engine.discrepancy import DISTANCES
from macro_engine.options import readers
from macro_engine.options import table as options
from macro_engine.options.presets import PRESETS
from macro_engine.options.settings import Layer, Settings
from macro_engine.options.table import OPTIONS
from macro_engine.stream.opening import COMMAND_LINE, open_stream
from macro_engine.stream.spec import StreamSpec
from macro_engine.subroutines import NAMED


def opened(tmp_path, toml=None, config=None, **options):
    path = tmp_path / "flights.csv"
    path.write_text("a,b,y\n1,2,p\n3,4,q\n")
    if toml is not None:
        (tmp_path / "flights.toml").write_text(toml)
    return open_stream([path], [Layer.read(COMMAND_LINE, options, of_user=True)], config)


def test_the_command_line_is_stronger_than_the_toml_and_that_than_inference(tmp_path):
    settings = opened(tmp_path, 'features = ["a"]\nhistory = 3\n', history="2").settings
    assert (settings["history"], settings.origins["history"]) == (2, COMMAND_LINE)
    assert (settings["features"], settings.origins["features"]) == (["a"], "flights.toml")
    assert (settings["label"], settings.origins["label"]) == ("y", "inferred")
    assert (settings["subroutine"], settings.origins["subroutine"]) == ("logistic", "default")


def test_a_config_stands_for_the_toml_beside_the_data(tmp_path):
    (tmp_path / "other.toml").write_text("history = 5\n")
    settings = opened(tmp_path, "history = 3\n", config=tmp_path / "other.toml").settings
    assert settings["history"] == 5


def test_a_distance_named_at_a_stronger_level_discards_weaker_history_and_thresholds(tmp_path):
    toml = 'distance = "labels"\nhistory = 6\nthresholds = [0.3]\n'
    settings = opened(tmp_path, toml, distance="features").settings
    assert settings["history"] == 1
    assert settings["thresholds"] == "quantiles"
    settings = opened(tmp_path, toml, distance="features", history="2").settings
    assert settings["history"] == 2


def test_a_label_named_at_a_stronger_level_discards_weaker_classes(tmp_path):
    settings = opened(tmp_path, 'label = "y"\nclasses = ["p", "q"]\n', label="b > 3").settings
    assert settings["classes"] == ["0", "1"]


def test_thresholds_are_sorted_and_without_duplicates(tmp_path):
    assert opened(tmp_path, thresholds=".5,.1,0.5,inf").settings["thresholds"] == [
        0.1,
        0.5,
        float("inf"),
    ]


@pytest.mark.parametrize(
    ("given", "value", "histories"),
    [
        ("6", 6, [6]),
        ("36,6", [6, 36], [6, 36]),
        (" 6 , all", [6, "all"], [6, None]),
        ("6,6", 6, [6]),
        ([2, "all"], [2, "all"], [2, None]),
    ],
)
def test_histories(tmp_path, given, value, histories):
    settings = opened(tmp_path, history=given, thresholds=".1,inf").settings
    assert settings["history"] == value
    assert settings.histories == histories
    assert len(settings.members) == len(histories) + 1


@pytest.mark.parametrize(
    ("distance", "history", "says"),
    [
        ("frames", "2,3", "takes one history; lists are for features and labels"),
        ("labels", "0,3", "nothing to compare"),
        ("labels", ",".join(map(str, range(1, 301))), "members, which are too many"),
        ("labels", "2,few", "is not a number of steps"),
    ],
)
def test_histories_that_make_no_sense_are_refused(tmp_path, distance, history, says):
    with pytest.raises(UsageError, match=says):
        opened(tmp_path, distance=distance, history=history)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("distance", "label", "did you mean 'labels'"),
        ("thresholds", ".1,abc", "'abc' is not a number"),
        ("thresholds", "-1", "cannot be negative"),
        ("thresholds", "nan", "'nan' is not a number"),
        ("history", "few", "is not a number of steps"),
        ("history", "0", "nothing to compare"),
        ("every", "10 minutes", "not the length of a step"),
        ("scale", "log", "is unknown"),
        ("classes", "p", "at least two classes"),
        ("classes", "p,p", "named twice"),
        ("seed", "x", "is not a seed"),
        ("features", "a,zz", "no column 'zz'"),
        ("features", "a,a", "named twice"),
        ("features", "a,y", "cannot be a feature too"),
        ("time", "when", "no column 'when'"),
        ("every", "10m", "needs a time column"),
        ("learning_rate", "0", "0 is not a learning rate; write sqrt, or a number above 0"),
        ("learning_rate", "-.1", "-0.1 is not a learning rate"),
        ("learning_rate", "inf", "inf is not a learning rate"),
        ("learning_rate", "nan", "'nan' is not a number"),
        ("learning_rate", "root", "'root' is not a number"),
    ],
)
def test_what_cannot_be_used_is_refused_in_words(tmp_path, name, value, says):
    with pytest.raises(UsageError) as error:
        check(opened(tmp_path, **{"label": "y", name: value}))
    assert f"--{name.replace('_', '-')}" in str(error.value)
    assert says in str(error.value)


def test_only_logistic_takes_a_learning_rate(tmp_path):
    assert opened(tmp_path, label="y").settings["learning_rate"] == "sqrt"
    assert opened(tmp_path, label="y", learning_rate="1").settings["learning_rate"] == 1.0
    other = {"label": "y", "subroutine": "nearest-mean"}
    assert opened(tmp_path, **other).settings.get("learning_rate") is None
    with pytest.raises(UsageError, match="--learning-rate is for logistic, not for nearest-mean"):
        opened(tmp_path, learning_rate=".1", **other)


def test_a_learner_named_at_a_stronger_level_discards_a_weaker_learning_rate(tmp_path):
    toml = "learning_rate = 0.05"
    assert opened(tmp_path, toml, label="y").settings["learning_rate"] == 0.05
    for learner in ("nearest-mean", "logistic"):
        found = opened(tmp_path, toml, label="y", subroutine=learner).settings
        assert found.get("learning_rate") == (None if learner == "nearest-mean" else "sqrt")


def check(stream):
    stream.spec.check(stream.files[0].names, stream.files[0].path)


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("tresholds = [0.1]", "unknown key 'tresholds', did you mean 'thresholds'?"),
        (f"history = {'1' * 5000}", "is not TOML: Exceeds the limit"),
        (f"history = 0x{'1' * 5000}", "history: "),
        ("history = 1\nlate = = 2", "is not TOML: Invalid value (at line 2, column 8)"),
        ("history = true", "flights.toml: history:"),
        ('subroutine = "python:os:getcwd"', "runs code and is taken from the command line only"),
        ("bounds = {a = [2, 1]}", "is not a range of numbers"),
        ("features = 3", "names of columns are expected"),
    ],
)
def test_a_toml_that_cannot_be_used_is_refused_with_its_name(tmp_path, toml, says):
    with pytest.raises(UsageError) as error:
        opened(tmp_path, toml)
    assert "flights.toml" in str(error.value)
    assert says in str(error.value)


@pytest.mark.parametrize(("toml", "options"), [('time = ""', {}), (None, {"time": ""})])
def test_that_there_is_no_time_column_can_be_said(tmp_path, toml, options):
    path = tmp_path / "d.csv"
    path.write_text("when,a,y\n2024-01-01,1,p\n2024-01-02,2,q\n")
    assert open_stream([path]).spec.time == "when"
    if toml is not None:
        path.with_suffix(".toml").write_text(toml)
    assert open_stream([path], [Layer.read("test", options, of_user=True)]).spec.time is None


@pytest.mark.parametrize(
    ("bounds", "scale"),
    [
        ("", "running"),
        ("bounds = {a = [0, 9]}", "running"),
        ("bounds = {a = [0, 9], b = [0, 1]}", "unit"),
    ],
)
def test_numbers_run_unless_all_have_bounds(tmp_path, bounds, scale):
    settings = opened(tmp_path, bounds).settings
    assert (settings["scale"], settings.origins["scale"]) == (scale, "default")


def test_the_unit_scale_without_bounds_is_refused_with_what_to_do(tmp_path):
    with pytest.raises(UsageError) as error:
        opened(tmp_path, "bounds = {a = [0, 9]}", scale="unit")
    assert str(error.value) == (
        "--scale unit: there are no bounds for 'b'; write bounds = { \"b\" = [smallest, largest] } "
        "into a TOML (--config), or take --scale running, which needs none"
    )


def test_settings_written_as_toml_read_back_as_they_are(tmp_path):
    values = {
        "time": 'a "quoted" \\ name\x7f\n',
        "features": ["ü", "a b"],
        "classes": ["0", "1"],
        "history": "all",
        "thresholds": [1e-9, 0.005, float("inf")],
        "bounds": {"a b": [-1.5, 2.0], "c.d": [0.0, 1.0]},
    }
    path = tmp_path / "s.toml"
    path.write_text(to_toml(values), "utf-8")
    assert Layer.from_toml(path).values == values


def test_every_option_has_a_reader_and_a_help():
    for option in OPTIONS.values():
        assert callable(getattr(readers, option.reader))
        assert option.help or not option.on_command_line


def test_every_default_is_what_its_reader_makes_of_it():
    for option in OPTIONS.values():
        if option.default is not None:
            assert option.read(option.default) == option.default
    assert OPTIONS["max_step"].default == StreamSpec.max_step


def test_the_descriptions_name_every_distance_subroutine_and_preset():
    assert OPTIONS["distance"].help == ", ".join(DISTANCES)
    assert OPTIONS["subroutine"].help.startswith(", ".join(NAMED))
    assert tuple(PRESETS) == options.PRESETS


def test_merging_keeps_the_strongest():
    merged = Settings.merge([Layer("x", {"seed": 1}), Layer("y", {"seed": 2, "late": "join"})])
    assert merged.values == {"seed": 1, "late": "join"}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("classes", ",".join(map(str, range(201))), "201 classes are too many; at most 200"),
        ("thresholds", ",".join(map(str, range(1001))), "1,001 are too many; at most 1,000"),
        ("ahead", "12", "not a length of time above 0; write 1d"),
        ("label_delay", "0s", "not a length of time above 0; write 1d"),
        ("max_step", "0", "not a number of rows"),
    ],
)
def test_what_is_too_much_or_none_is_refused(name, value, message):
    with pytest.raises(UsageError, match=f"--{name.replace('_', '-')}: .*{message}"):
        Layer.read(COMMAND_LINE, {name: value}, of_user=True)


def test_how_far_ahead_and_how_long_may_be_set(tmp_path):
    made = opened(tmp_path, 'ahead = "2h"\nmax_step = 50\n', max_step="60")
    assert (made.spec.ahead, made.spec.max_step) == (7_200_000_000, 60)
    assert (opened(tmp_path, "").spec.ahead, made.settings["ahead"]) == (86_400_000_000, "2h")
