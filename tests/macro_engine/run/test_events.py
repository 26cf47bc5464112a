import numpy as np
import pytest
from made_runs import engine, run

from macro_engine.core.members import grid
from macro_engine.core.names import Names
from macro_engine.run.engine import Listener
from macro_engine.run.events import EventFinder


def events_of(path, **options):
    found = []
    run(engine(path, None, Listener(event=found.append), **options))
    return found


def test_rejected_rows_belong_to_the_step_in_which_they_came(tmp_path):
    path = tmp_path / "d.csv"
    lines = ["when,a,b,place,late"]
    lines += [f"2024-01-01T{i // 6:02}:{i % 6}0:00,{i % 7},1,x,{i % 2}" for i in range(60)]
    lines[10] = lines[10].replace(",1,x", ",oops,x")
    lines[11] = "too,few"
    lines[31] = lines[31].replace(",1,x", ",never,x")
    path.write_text("\n".join(lines) + "\n")
    rejected = [e for e in events_of(path, every="1h") if e.kind == "rejected"]
    assert [(e.step, e.text) for e in rejected] == [(1, "2 rows rejected"), (5, "1 row rejected")]


def test_late_rows_are_events_of_the_step_that_they_join(tmp_path):
    path = tmp_path / "d.csv"
    lines = ["when,a,b,place,late"]
    lines += [f"2024-01-01T{i // 6:02}:{i % 6}0:00,{i % 7},1,x,{i % 2}" for i in range(60)]
    lines[20], lines[13] = lines[13], lines[20]
    path.write_text("\n".join(lines) + "\n")
    late = [e for e in events_of(path, every="1h") if e.kind == "late"]
    assert [e.text for e in late] == ["7 rows came late"] or sum(int(e.text[0]) for e in late) > 0


def gaps(pauses, cuts=()):
    """The gaps that are found in a stream of single rows with these pauses before them."""
    times = np.cumsum(pauses).astype(np.int64) * 1_000_000
    finder = EventFinder(Names(("marginal",), grid([1], [0.1]), 2))

    class Made:
        def __init__(self, times):
            self.times = times
            self.steps = len(times)
            self.starts = np.arange(len(times) + 1)

    found = []
    for part in np.split(np.arange(len(times)), cuts):
        found += [int(part[0]) + s for s in finder._gaps(Made(times[part]))] if len(part) else []
    return found


def test_a_pause_much_longer_than_usual_is_a_gap():
    assert gaps([1] * 50 + [60] + [1] * 50) == [50]
    assert gaps([1] * 50 + [5] + [1] * 50) == []
    assert gaps([60] + [1] * 10 + [60]) == []  # too early to tell
    assert gaps([0] * 50 + [1] + [0] * 50 + [1] + [0] * 50 + [9]) == [152]  # a clock of seconds


def test_a_pause_that_comes_every_night_is_none():
    days = ([1] * 100 + [60]) * 5
    assert gaps(days) == [100]
    assert gaps([*days, *[1] * 20, 200]) == [100, len(days) + 20]


@pytest.mark.parametrize("cuts", [[1], [50, 51], [3, 30, 80]])
def test_gaps_do_not_depend_on_how_the_stream_is_cut(cuts):
    pauses = ([1] * 40 + [30]) * 2 + [1] * 30 + [500]
    assert gaps(pauses, cuts) == gaps(pauses)
