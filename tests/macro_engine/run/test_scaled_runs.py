"""What the scale is to the learner, the distance and the outputs of a whole run."""

import random

import pytest
from made_runs import engine, run, run_until

from macro_engine.core.errors import UsageError
from macro_engine.run.engine import Listener
from macro_engine.run.store.runfile import RunReader


@pytest.fixture
def stream(tmp_path):
    """Few values, so that rows repeat; one of them in fifty lies far outside."""
    rng = random.Random(1)
    lines = ["when,a,b,place,late"]
    for i in range(1200):
        a = 900 if i % 50 == 49 else rng.randrange(3)
        late = int(rng.random() < 0.2 + 0.3 * (a % 3))
        lines.append(f"2024-01-01T{i // 60:02}:{i % 60:02}:00,{a},7,x,{late}")
    path = tmp_path / "d.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_markov_compares_raw_numbers_under_every_scale(stream, tmp_path):
    traces = []
    for scale in ("running", "none"):
        trace = tmp_path / f"{scale}.csv"
        run(engine(stream, scale=scale, distance="markov", every="1", trace=trace))
        traces.append(trace.read_text())
    assert traces[0] == traces[1]
    assert 2 < traces[0].count("true") < 20  # as many births as there are different rows


def test_clipping_is_an_event_once_a_column_and_a_note(stream):
    said = []
    made = run(engine(stream, listener=Listener(remark=said.append)))
    told = [text for text in said if "cut off" in text]
    assert told == ["more than 1 % of the values of 'a' are cut off at 4 deviations from the mean"]
    (note,) = [text for text in made.summary()["notes"] if "cut off" in text]
    assert "values of 'a' beyond 4 deviations from the mean were cut off" in note


def test_a_clipping_is_recorded_once_also_in_a_run_that_is_resumed(stream, tmp_path):
    path = tmp_path / "a.run"
    for steps in (10, 39):
        run_until(engine(stream, path), steps)
    run(engine(stream, path))
    reader = RunReader(path)
    told = [event.text for _, event in reader.events(["source"]) if "cut off" in event.text]
    reader.close()
    assert len(told) == 1


def test_the_unit_scale_without_bounds_is_refused(stream):
    with pytest.raises(UsageError, match="no bounds for 'a', 'b'"):
        engine(stream, scale="unit")
