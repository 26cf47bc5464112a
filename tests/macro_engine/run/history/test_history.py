"""History answers what the results themselves would answer."""

from contextlib import closing
from typing import ClassVar

import numpy as np
import pytest
from made_runs import engine, run, write_stream

from macro_engine.core.rows import Columns
from macro_engine.core.steps import Steps
from macro_engine.run.engine import Listener
from macro_engine.run.history import history as module
from macro_engine.run.history.downsampled import Downsampled
from macro_engine.run.history.history import History
from macro_engine.run.store.combined_reader import CombinedReader
from macro_engine.run.store.runfile import RunReader
from macro_engine.strategies import Setup
from macro_engine.strategies.ewa import ExponentialWeights


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A recorded run of some hundred steps: its engine, its file and its results."""
    folder = tmp_path_factory.mktemp("history")
    stream = write_stream(folder / "d.csv", rows=6000, garbage=0.01)
    given = []
    made = run(
        engine(stream, folder / "a.run", Listener(results=given.append), distance="features")
    )
    return made, folder / "a.run", given


@pytest.fixture(scope="module", params=[1, 16], ids=["all in memory", "downsampled"])
def past(request, finished):
    """The history of that run, in much memory or in little; nobody changes it."""
    made, path, given = finished
    patch = pytest.MonkeyPatch()
    if request.param > 1:
        patch.setattr(module, "NEWEST", 40)
        patch.setattr(module, "_JOINED", 4)
        patch.setattr(Downsampled, "MOST", 100)
    reader = RunReader(path)
    history = History(made.pipeline.names, made.classes, CombinedReader(reader).parts)
    for results in given:
        for start in range(results.first_step, results.stop, 7):
            history.append(results.cut(start, min(start + 7, results.stop)))
    yield history
    assert (history.downsampled.stride > 1) == (request.param > 1)
    reader.close()
    patch.undo()


@pytest.fixture
def whole(finished):
    return Steps.join(finished[2])


def wrong_before(whole, moment):
    return whole.wrong[:, :moment].sum(axis=1, dtype=np.int64)


@pytest.mark.parametrize("window", [None, 1, 30])
def test_errors_at_any_moment(past, whole, window):
    moments = np.array([0, 1, 5, 17, 100, 256, past.steps - 1, past.steps])
    errors = past.errors(moments, window)
    assert errors.shape == (len(past.series), len(moments))
    for i, moment in enumerate(moments.tolist()):
        first = 0 if window is None else max(moment - window, 0)
        rows = whole.lengths[first:moment].sum(dtype=np.int64)
        wrong = wrong_before(whole, moment) - wrong_before(whole, first)
        expected = wrong / rows if rows else np.full(len(wrong), np.nan)
        assert np.array_equal(errors[:, i], expected, equal_nan=True)


@pytest.mark.parametrize("window", [None, 1, 30])
def test_metrics_at_any_moment(past, whole, window):
    moments = np.array([1, 5, 17, 100, 256, past.steps])
    tally = past.tally(moments, window)
    for i, moment in enumerate(moments.tolist()):
        first = 0 if window is None else max(moment - window, 0)
        rows = slice(int(whole.starts[first]), int(whole.starts[moment]))
        labels, said = whole.labels[rows], whole.predictions[past.index("ewa"), rows]
        p = whole.probabilities[past.index("ewa"), np.arange(rows.start, rows.stop), labels]
        line = past.index("ewa")
        assert tally.labels[:, i].tolist() == np.bincount(labels, minlength=2).tolist()
        assert tally.predicted[line, :, i].tolist() == np.bincount(said, minlength=2).tolist()
        hits = np.bincount(labels[said == labels], minlength=2)
        assert tally.hits[line, :, i].tolist() == hits.tolist()
        assert tally.log_loss[line, i] == pytest.approx(-np.log(p.astype(float)).sum(), rel=1e-9)


def test_many_classes_take_fewer_points(whole, monkeypatch):
    monkeypatch.setattr(Downsampled, "FEWEST", 8)
    monkeypatch.setattr(Downsampled, "NUMBERS", 64 * len(whole.before.sums))
    assert Downsampled(whole).most == 64


def test_far_apart_moments_are_answered_for_ones_a_little_before(past, whole, monkeypatch):
    monkeypatch.setattr(module, "_MOST_READ", 50)
    moments = np.arange(1, past.steps, 13)
    points = past.at(moments)
    assert (points.moments <= moments).all()
    assert (moments - points.moments < past.downsampled.stride).all()
    for i in (0, 10, -1):
        assert points.wrong[:, i].tolist() == wrong_before(whole, points.moments[i]).tolist()


def test_weights_are_those_that_were_in_force(past, whole):
    ewa = ExponentialWeights(Setup(past.names.members, 2, Columns(())))
    expected = np.empty((past.steps, len(past.names.members)))
    for step, losses in enumerate((whole.member_wrong / whole.lengths).T):
        expected[step] = ewa.weights(step)
        ewa.update(losses.tolist())
    moments = np.array([0, 1, 2, 50, 200, past.steps - 1])
    assert np.allclose(past.weights(moments).T, expected[moments], rtol=1e-12)


def test_a_step_is_told_as_it_was(past, whole):
    for step in (0, 3, 111, past.steps - 1):
        moment = past.moment(step)
        assert moment.active.tolist() == whole.active[:, step].tolist()
        for k, listed in enumerate(moment.list_steps.tolist()):
            assert (whole.active[k, listed : step + 1] == whole.active[k, step]).all()
            assert moment.nearest[k].tolist() == whole.lists_at(listed)[1][k].tolist()
        assert np.array_equal(moment.distance, whole.distance[:, step], equal_nan=True)
        assert moment.time == whole.first_times[step]


def test_the_situation_is_the_history_before_the_step(past, whole):
    situation = past.situation(100, 0)
    rows = slice(whole.starts[97], whole.starts[100])
    assert situation.steps == 3
    assert situation.labels.tolist() == np.bincount(whole.labels[rows], minlength=2).tolist()
    assert past.situation(0, 0).rows == 0


def test_usage_forwards_and_backwards(past, whole, monkeypatch):
    from macro_engine.run.history import usage

    monkeypatch.setattr(usage, "_EVERY", 64)
    for k in (0, 3):
        for moment in (past.steps, 70, 64, 333, 1, past.steps):
            found = past.usage(k, moment)
            active = whole.active[k, :moment]
            for number in range(1, int(whole.subroutines[k, moment - 1]) + 1):
                mine = np.flatnonzero(active == number)
                assert found.uses[number] == len(mine)
                assert found.rows[number] == whole.lengths[mine].sum(dtype=np.int64)
                assert found.wrong[number] == whole.wrong[4 + k][mine].sum(dtype=np.int64)
                assert found.marginal_wrong[number] == whole.wrong[0][mine].sum(dtype=np.int64)
                assert found.last_used[number] == (mine[-1] if len(mine) else 0)


def test_births_name_their_parents(past, whole):
    for k, births in enumerate(past.births):
        assert [birth.step for birth in births] == np.flatnonzero(whole.born[k]).tolist()
        for birth in births[1:]:
            assert birth.parent == whole.lists_at(birth.step)[1][k, 0]


def test_rows_and_times_are_found(past, whole):
    for step in (0, 50, 200, past.steps - 1):
        assert past.step_of_row(int(whole.starts[step])) == step
        assert past.step_of_row(int(whole.starts[step + 1]) - 1) == step
        assert past.step_at_time(int(whole.first_times[step])) == step
    assert past.step_of_row(10**9) == past.step_at_time(10**18) == past.steps - 1


def test_what_waits_to_be_written_is_answered_too(finished):
    _, path, given = finished
    whole = Steps.join(given)

    class Waiting:
        readers: ClassVar = []

        def pending(self):
            return [whole.cut(200, 300), whole.cut(300, whole.stop)]

        def pending_events(self):
            return []

    with closing(RunReader(path)) as reader:
        store = CombinedReader(reader, Waiting())
        for start, stop in [(0, 10), (190, 210), (250, 260), (100, whole.stop)]:
            assert np.array_equal(store.results(start, stop).active, whole.active[:, start:stop])


def test_a_window_has_as_many_steps_as_it_says_where_little_is_kept(finished, monkeypatch):
    monkeypatch.setattr(module, "NEWEST", 40)
    monkeypatch.setattr(module, "_MOST_READ", 50)
    monkeypatch.setattr(Downsampled, "MOST", 50)
    made, _, given = finished
    whole = Steps.join(given)
    history = History(made.pipeline.names, made.classes, lambda a, b: whole.cut(a, b))
    history.append(whole)
    stride = history.downsampled.stride
    assert stride > 4
    near, far = np.array([101, 110]), stride * np.arange(4, whole.steps // stride)
    assert history.window(near, 4) == 4
    assert history.window(far, 4) == stride
    assert history.window(far, 4 * stride) == 4 * stride
    for moments, wished in ((near, 4), (far, 4)):
        window = history.window(moments, wished)
        wrong = wrong_before(whole, moments[-1]) - wrong_before(whole, moments[-1] - window)
        rows = whole.starts[moments[-1]] - whole.starts[moments[-1] - window]
        assert np.allclose(history.errors(moments, window)[:, -1], wrong / rows)


def test_memory_does_not_grow_with_the_run(finished, monkeypatch):
    monkeypatch.setattr(module, "NEWEST", 40)
    monkeypatch.setattr(Downsampled, "MOST", 100)
    made, _, given = finished
    whole = Steps.join(given)
    history = History(made.pipeline.names, made.classes, lambda a, b: whole.cut(a, b))
    for start in range(0, whole.steps, 10):
        history.append(whole.cut(start, min(start + 10, whole.steps)))
        assert len(history.downsampled.points().moments) <= 100
        assert sum(results.steps for results in history.newest) <= 40 + module._JOINED + 10
