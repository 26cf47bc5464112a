"""Tasks: an identity each, the same results by every way, and a cache from which to go on."""

import json
from dataclasses import replace

import made_work
import pytest

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.work.tasks import Done, Failed, Progress, Task, run_tasks

SQUARES = [Task.of(made_work.square, {"number": n}, label=f"square {n}") for n in range(5)]


def said(told):
    return [progress.said for progress in told if progress.said]


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_results_come_in_the_order_of_the_tasks_and_are_the_same_by_every_way(workers):
    tasks = [
        replace(SQUARES[0], settings={"number": n, "seconds": 0.02 * (3 - n)}) for n in (0, 1, 2)
    ]
    results = run_tasks(tasks, workers=workers)
    assert [one.task for one in results] == tasks
    assert [one.value for one in results] == [{"square": n**2, "third": n / 3} for n in (0, 1, 2)]
    assert all(one.seconds >= 0.02 * (3 - n) for n, one in enumerate(results))


def test_the_identity_tells_work_settings_and_content_apart(tmp_path):
    data, copy = tmp_path / "d.csv", tmp_path / "elsewhere" / "d.csv"
    copy.parent.mkdir()
    for path in (data, copy):
        path.write_text("a,y\n1,p\n")
    task = Task.of(made_work.length, {"b": 1, "a": 2}, [data])
    same = [
        replace(task, label="called so"),
        replace(task, data=(copy,)),
        replace(task, settings={"a": 2, "b": 1}),
    ]
    other = [
        replace(task, settings={"a": 2}),
        replace(task, name="made_work:square"),
        replace(task, data=()),
    ]
    assert {one.identity() for one in same} == {task.identity()}
    assert len({one.identity() for one in [task, *other]}) == 4
    copy.write_text("a,y\n1,q\n")
    assert replace(task, data=(copy,)).identity() != task.identity()


def test_a_folder_of_data_is_told_by_what_it_holds(tmp_path):
    (tmp_path / "a.txt").write_text("x")
    before = Task.of(made_work.square, {}, [tmp_path]).identity()
    (tmp_path / "a.txt").rename(tmp_path / "b.txt")
    assert Task.of(made_work.square, {}, [tmp_path]).identity() != before


def test_data_that_cannot_be_read_is_named(tmp_path):
    with pytest.raises(MacroError, match=r"none\.csv cannot be read: No such file"):
        Task.of(made_work.length, {}, [tmp_path / "none.csv"]).identity()


def test_a_second_start_goes_on_from_the_cache(tmp_path):
    run_tasks(SQUARES[:3], cache=tmp_path / "kept")
    told = []
    results = run_tasks(SQUARES, cache=tmp_path / "kept", on_progress=told.append)
    assert [one.value["square"] for one in results] == [0, 1, 4, 9, 16]
    assert told[-1] == Progress(5, done=5, kept=3, seconds_left=0.0)
    assert told[0].kept == 3
    assert not list((tmp_path / "kept").glob(".*"))


def test_a_damaged_result_is_computed_again_and_that_is_said(tmp_path):
    run_tasks(SQUARES[:2], cache=tmp_path)
    path = next(tmp_path.glob("*.json"))
    for damage in ({"value": {"square": 17}}, {"identity": "0" * 64}):
        path.write_text(json.dumps(json.loads(path.read_text()) | damage))
        told = []
        results = run_tasks(SQUARES[:2], cache=tmp_path, on_progress=told.append)
        assert [one.value["square"] for one in results] == [0, 1]
        assert said(told) == [f"{path} is damaged: computed again"]
    path.write_bytes(path.read_bytes()[:-9])
    told = []
    run_tasks(SQUARES[:2], cache=tmp_path, on_progress=told.append)
    assert said(told) == [f"{path} is damaged: computed again"]
    told = []
    run_tasks(SQUARES[:2], cache=tmp_path, on_progress=told.append)
    assert said(told) == []


def test_a_cache_that_cannot_be_written_is_said_once(tmp_path, monkeypatch):
    def full(*_args, **_kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("macro_engine.work.result_cache.write_atomically", full)
    told = []
    results = run_tasks(SQUARES, cache=tmp_path, on_progress=told.append)
    assert all(isinstance(one, Done) for one in results)
    assert len(said(told)) == 1
    assert "No space left" in said(told)[0]
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(MacroError, match="name another one"):
        run_tasks(SQUARES, cache=tmp_path / "file")


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_failure_is_said_tried_once_more_and_the_rest_completes(workers, tmp_path):
    bad = Task.of(made_work.fail, {"number": 4}, label="the fourth")
    told = []
    results = run_tasks(
        [SQUARES[1], bad, SQUARES[2]], workers=workers, cache=tmp_path, on_progress=told.append
    )
    assert [type(one) for one in results] == [Done, Failed, Done]
    assert results[1].reason == "number 4 is not liked"
    assert said(told) == [
        "the fourth failed and is tried again: number 4 is not liked",
        "the fourth failed: number 4 is not liked",
    ]
    assert told[-1].failed == 1
    assert len(list(tmp_path.glob("*.json"))) == 2


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (Task.of(made_work.not_json, {}), "ValueError: Out of range float values"),
        (Task.of(made_work.unmarked, {}), "'made_work:unmarked' is not a task"),
        (Task("no_such_module:work", {}), "ModuleNotFoundError: No module named"),
    ],
)
def test_what_is_no_work_or_no_json_fails_in_words(task, reason):
    (result,) = run_tasks([task])
    assert result.reason.startswith(reason)


def test_workers_are_counted_from_one():
    with pytest.raises(UsageError, match="--workers 0: write 1 or more"):
        run_tasks(SQUARES, workers=0)
