"""Results: one type, whose columns are declared once."""

import numpy as np
import pytest
from made_ensembles import assert_same_steps, compiled, members_of
from made_ensembles import run as run_ensemble
from made_runs import engine, run, write_stream

from macro_engine.core.rows import Block
from macro_engine.core.steps import (
    COLUMNS,
    OPTIONAL,
    PARTS,
    PIECE_STEPS,
    Axis,
    Steps,
    changes,
)
from macro_engine.run.engine import Listener
from macro_engine.run.store import codec


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """The results of a run, block by block."""
    stream = write_stream(tmp_path_factory.mktemp("steps") / "d.csv", rows=1500, garbage=0.01)
    found = []
    made = engine(stream, listener=Listener(results=found.append), distance="features")
    made.pipeline.with_probabilities = True
    run(made)
    return found


def test_every_column_grows_along_one_axis_and_few_are_optional():
    growing = (Axis.STEP, Axis.ROW, Axis.LIST)
    for column in COLUMNS.values():
        assert sum(axis in growing for axis in column.axes) == 1
    assert {"times", "leaders", "probabilities", "shown", "labelled", "known"} == OPTIONAL
    assert PARTS == ("steps", "choices", "rows")


def test_cut_and_joined_again_they_are_the_same(given):
    whole = Steps.join(given)
    for place in (1, 57, whole.steps - 1):
        parts = [whole.cut(0, place), whole.cut(place, whole.stop)]
        assert_same_steps(Steps.join(parts), whole)
        assert parts[1].before.rows == parts[0].after.rows == parts[1].first_row
        assert np.array_equal(parts[1].before.wrong, parts[0].after.wrong)
        assert np.array_equal(parts[1].before.losses, parts[0].after.losses)


def test_series_are_asked_for_by_name(given):
    whole = Steps.join(given)
    assert whole.names.series == ("marginal", "no_change", "ftl", "ewa")
    for place, name in enumerate(whole.names.series):
        assert np.array_equal(whole.wrong_of(name), whole.wrong[place])
    assert len(whole.member_wrong) == len(whole.names.members)


def test_what_is_encoded_is_decoded(given):
    whole = Steps.join(given)
    for steps in (whole, whole.cut(5, 6), whole.cut(40, 90)):
        lengths = codec.lengths_of(whole.names, steps.steps, steps.rows, len(steps.nearest))
        back = {}
        for part in PARTS:
            back |= codec.decode(codec.encode(steps, part), part, lengths)
        assert_same_steps(Steps(first_step=0, first_row=0, before=steps.before, **back), steps)


@pytest.mark.parametrize(("distance", "most"), [("labels", 30), ("features", 88)])
def test_a_row_a_step_with_nine_members_takes_few_bytes(atlanta, distance, most):
    rows = atlanta.rows.cut(60_000, 60_000 + PIECE_STEPS)
    times = atlanta.times[60_000 : 60_000 + PIECE_STEPS]
    block = Block(rows, np.arange(len(rows) + 1), times, 0, 0)
    thresholds = {
        "labels": (0.005, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6),
        "features": (0.15, 0.17, 0.19, 0.22, 0.25, 0.28, 0.31, 0.34, 0.37),
    }
    members = members_of(distance, 6 if distance == "labels" else 1, thresholds[distance])
    ensemble = compiled(members, distance, "logistic", rows.columns, 2, with_probabilities=True)
    steps = run_ensemble(ensemble, block)
    stored = sum(len(codec.encode(steps, part)) for part in PARTS)
    assert stored <= most * len(rows)


@pytest.mark.parametrize(
    "times", [[5], [0, 0, 0], [10, 5, 7], [-(2**62), 2**62, 0], list(range(0, 900, 3))]
)
def test_times_are_kept_to_the_last_bit(times):
    values = np.array(times)
    form, dtype, blob = codec._encoded(values, codec.Codec.TIMES)
    back = codec._decoded(blob, form, dtype, values.shape, COLUMNS["times"])
    assert np.array_equal(back, values)


@pytest.mark.parametrize("classes", [1, 2, 3, 10])
def test_probabilities_are_kept_to_the_last_bit(classes):
    rng = np.random.default_rng(classes)
    values = rng.dirichlet(np.full(classes, 0.1), size=(3, 500)).astype(np.float32)
    values[0, :5] = np.array([np.nan, -0.0, 1e-30, 1, np.inf], np.float32)[:, None]
    values[1] = rng.integers(0, 2**32, values[1].shape, np.uint32).view(np.float32)
    form, dtype, blob = codec._encoded(values, codec.Codec.PROBABILITIES)
    back = codec._decoded(blob, form, dtype, values.shape, COLUMNS["probabilities"])
    assert back.tobytes() == values.tobytes()


def test_two_probabilities_take_little_more_than_one():
    one = np.random.default_rng(0).random((4, 4096), np.float32)
    both = np.stack([one, 1 - one], axis=-1)
    assert len(codec._encoded(both, codec.Codec.PROBABILITIES)[2]) < 1.1 * one.nbytes


def test_the_nearest_are_listed_where_the_active_one_changes(given):
    whole = Steps.join(given).with_fewer_lists()
    assert np.array_equal(whole.listed, changes(whole.active))
    assert len(whole.nearest) == np.count_nonzero(whole.listed) < whole.listed.size / 2


def test_the_list_of_a_step_is_that_of_the_last_change(given):
    whole = Steps.join(given)
    few = whole.with_fewer_lists()
    for step in (0, 17, 60, whole.steps - 1):
        steps, nearest, _ = few.lists_at(step)
        for k, listed in enumerate(steps.tolist()):
            assert (few.active[k, listed : step + 1] == few.active[k, step]).all()
            assert listed == 0 or few.active[k, listed - 1] != few.active[k, step]
            assert nearest[k].tolist() == whole.lists_at(listed)[1][k].tolist()


def test_steps_cut_off_from_their_list_say_that_there_is_none(given):
    whole = Steps.join(given).with_fewer_lists()
    step = next(s for s in range(1, whole.steps) if not whole.listed[:, s].any())
    steps, nearest, distances = whole.cut(step, step + 1).lists_at(step)
    assert (steps == -1).all()
    assert not nearest.any()
    assert np.isnan(distances).all()
