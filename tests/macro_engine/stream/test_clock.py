"""Time of day and weekday as columns."""

import numpy as np
import pytest
from made_runs import write_stream

from macro_engine import replay
from macro_engine.algorithm.macro import Macro
from macro_engine.core.errors import UsageError
from macro_engine.core.toml import to_toml
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.options.presets import preset
from macro_engine.options.settings import Layer
from macro_engine.stream.clock_columns import ClockColumns, clock_beside, times_of_day, weekdays
from macro_engine.stream.opening import COMMAND_LINE, open_stream
from macro_engine.stream.table import Rejections
from macro_engine.subroutines import resolve

HOUR = 3_600_000_000


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv", rows=400)


def opened(path, *weaker, **options):
    return open_stream([path], [Layer.read(COMMAND_LINE, options, of_user=True), *weaker])


def test_six_in_the_morning_of_a_tuesday():
    clock, times = clock_beside(["a"]), np.array([6 * HOUR + 5 * 24 * HOUR])
    assert clock.numbers_at(times).tolist() == [[0.25, 1.0, 0.5 + 6.123233995736766e-17 / 2]]
    assert clock.categories_at(times) == [["Tue"]]


def test_before_1970_the_clock_goes_on():
    assert clock_beside([]).numbers_at(np.array([-6 * HOUR]))[0, 0] == 0.75
    assert weekdays(np.array([-1, 0])) == ["Wed", "Thu"]
    assert times_of_day(np.array([0.0])).tolist() == [[0.0, 0.5, 1.0]]


@pytest.mark.parametrize("name", ["weekday", "DayOfWeek", "day_of_week", "dow"])
def test_a_column_that_is_there_is_not_added(name):
    assert clock_beside([name]) == ClockColumns(("time_of_day", "time_sin", "time_cos"), ())
    assert clock_beside([name, "Hour"]) == ClockColumns((), ())


def test_it_is_on_where_features_are_guessed_and_there_is_a_time(stream):
    found = opened(stream)
    assert found.settings["clock"] == "on"
    assert found.spec.numbers == ("a", "b", "time_of_day", "time_sin", "time_cos")
    assert found.spec.encoded().categories == ("place", "weekday")
    assert opened(stream, clock="off").spec.numbers == ("a", "b")
    assert opened(stream, features="a").spec.numbers == ("a",)
    assert opened(stream, features="a", clock="on").spec.numbers[1] == "time_of_day"
    assert opened(stream, preset("paper-labels")).spec.numbers == ("a", "b")
    assert opened(stream, time="").spec.numbers == ("a", "b")


def test_what_gives_the_label_is_not_told_by_the_clock(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("when,a,hour\n2024-01-01T00:00,1,0\n2024-01-01T13:00,2,13\n")
    assert opened(path, label="hour > 12").spec.clock == ClockColumns((), ("weekday",))


def test_a_clock_without_a_time_is_refused(stream):
    with pytest.raises(UsageError, match="--clock on needs a time column"):
        opened(stream, time="", clock="on")


def test_it_gives_what_the_same_columns_in_the_file_give(stream, tmp_path):
    lines = stream.read_text().splitlines()
    times = np.array([line.split(",")[0] for line in lines[1:]], "datetime64[us]").astype(np.int64)
    clock = clock_beside([])
    made = zip(clock.numbers_at(times).tolist(), clock.categories_at(times)[0], strict=True)
    columns = ["time_of_day,time_sin,time_cos,weekday", *(f"{str(n)[1:-1]},{d}" for n, d in made)]
    other = tmp_path / "other.csv"
    other.write_text("\n".join(f"{a},{b}" for a, b in zip(lines, columns, strict=True)))
    unit = {name: [0.0, 1.0] for name in clock.numbers}
    (tmp_path / "other.toml").write_text(to_toml({"bounds": unit}))
    options = {"label": "late", "features": "a,b", "categorical": "place"}
    with replay(stream, clock="on", **options) as one:
        options["features"] += ",time_of_day,time_sin,time_cos"
        options["categorical"] += ",weekday"
        with replay(other, **options) as two:
            assert one.predictions.equals(two.predictions)


@pytest.mark.parametrize("distance", ["features", "frames", "markov"])
def test_no_distance_compares_it(stream, distance):
    options = {"label": "late", "distance": distance, "every": "5", "strategies": "ftl"}
    options |= {"thresholds": [0.1, 0.5, 1.5]}
    traces = []
    for clock in ("on", "off"):
        with replay(stream, clock=clock, **options) as result:
            traces.append(result.trace)
    assert traces[0].equals(traces[1])


@pytest.mark.parametrize("distance", ["features", "frames"])
def test_the_definition_and_the_compiled_path_agree(stream, distance):
    options = {"label": "late", "distance": distance, "every": "5", "history": "2"}
    options["max_subroutines"] = "none"
    found = opened(stream, thresholds=".5", **options)
    reader = found.reader(Rejections())
    blocks = list(reader.blocks())
    columns = blocks[-1].rows.columns
    shape = Shape(2, len(columns.compared.numbers), 2, True)
    learner = resolve("logistic")
    macro = Macro(0.5, DISTANCES[distance].create(shape), 2, lambda: learner(("0", "1")), columns)
    said = []
    for block in blocks:
        for s in range(block.steps):
            choice = macro.open()
            said += macro.predict(choice, block.step(s)).tolist()
            macro.complete(choice, block.step(s))
    with replay(stream, thresholds=[0.5], strategies="ftl", **options) as result:
        assert result.predictions["t0"].to_list() == [str(label) for label in said]
        assert result.trace["subroutines"].to_list()[-1] == len(macro.subroutines)


@pytest.mark.parametrize(("hours", "bounds"), [(1, {"time_of_day": [0.0, 1.0]}), (24, None)])
def test_a_time_of_day_in_the_file_has_the_bounds_of_one(tmp_path, hours, bounds):
    path = tmp_path / "d.csv"
    rows = [f"{hours * i / 40},{i % 7},{i % 2}" for i in range(40)]
    path.write_text("\n".join(["time_of_day,a,late", *rows]))
    assert opened(path).settings.get("bounds") == bounds
    assert opened(path, preset("paper-labels")).settings.get("bounds") is None


def test_as_many_airports_as_a_large_one_has_are_a_category(tmp_path):
    path = tmp_path / "d.csv"
    rows = [f"A{i % 150:03}X,N{i:04}Y,{i % 2}" for i in range(500)]
    path.write_text("\n".join(["origin,tail,late", *rows]))
    assert opened(path).settings["categorical"] == ["origin"]
