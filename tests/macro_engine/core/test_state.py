import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from macro_engine.core import state
from macro_engine.core.state import DamagedError, pack, unpack

EXAMPLE = {
    "a": np.arange(6.0).reshape(2, 3),
    "b": {"c": np.array([True, False]), "text": "é\n", "none": None},
    "list": [{"x": np.array([1, 2])}, {"x": np.empty((0, 4))}],
}


def test_a_state_comes_back_as_it_was():
    found = unpack(pack(EXAMPLE))
    assert np.array_equal(found["a"], EXAMPLE["a"])
    assert found["b"]["c"].dtype == np.bool_
    assert found["b"]["text"] == "é\n"
    assert [item["x"].shape for item in found["list"]] == [(2,), (0, 4)]
    assert pack(found) == pack(EXAMPLE)


@given(st.binary(max_size=200))
def test_bytes_from_a_stranger_are_refused_or_read_and_nothing_else(data):
    with contextlib.suppress(DamagedError):
        unpack(data)


@given(st.integers(0, len(pack(EXAMPLE)) - 1), st.integers(0, 255))
def test_one_changed_byte_is_refused_or_read_and_nothing_else(place, value):
    data = bytearray(pack(EXAMPLE))
    data[place] = value
    with contextlib.suppress(DamagedError):
        unpack(bytes(data))


@pytest.mark.parametrize(
    "array",
    [
        ["<f8", [1 << 60]],
        ["<f8", [1 << 40, 1 << 40]],
        ["<f8", [-1]],
        ["O", [1]],
        ["<f8", ["1"]],
        ["<f8"],
        ["<f8", [0]],
    ],
)
def test_an_array_asks_for_no_more_than_there_is(array):
    import json

    document = json.dumps({"x": {"$array": array}}).encode()
    with pytest.raises(DamagedError):
        unpack(len(document).to_bytes(8, "little") + document + bytes(8))


def test_no_bytes_are_given_out_twice():
    import json

    once = {"$array": ["<f8", [1]]}
    document = json.dumps({"x": once, "y": once}).encode()
    with pytest.raises(DamagedError):
        unpack(len(document).to_bytes(8, "little") + document + bytes(8))


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e400", "1" + "0" * 400, "1" * 5000])
def test_a_number_that_fits_in_no_64_bits_is_refused(text):
    document = f'{{"x": {text}}}'.encode()
    with pytest.raises(DamagedError):
        unpack(len(document).to_bytes(8, "little") + document)


@pytest.mark.parametrize("value", [10**400, -(10**400), float("nan"), float("inf")], ids=str)
def test_a_number_that_is_taken_out_is_finite(value):
    with pytest.raises(DamagedError, match="'x' is not a finite number"):
        state.number({"x": value}, "x")


def test_what_is_taken_out_is_checked():
    kept = unpack(pack({"a": np.array([0, 3, 5]), "n": 3, "f": True, "t": ["x"]}))
    assert state.indices(kept, "a", (3,), 6).tolist() == [0, 3, 5]
    assert state.boundaries(kept, "a", 5).tolist() == [0, 3, 5]
    assert state.whole(kept, "n") == 3
    assert state.flag(kept, "f")
    assert state.texts(kept, "t") == ["x"]
    for wrong in (
        lambda: state.indices(kept, "a", (3,), 5),
        lambda: state.indices(kept, "a", (2,), 6),
        lambda: state.array(kept, "a", np.float64, (3,)),
        lambda: state.boundaries(kept, "a", 4),
        lambda: state.whole(kept, "n", 4),
        lambda: state.whole(kept, "f"),
        lambda: state.flag(kept, "n"),
        lambda: state.texts(kept, "a"),
        lambda: state.child(kept, "n"),
        lambda: state.children(kept, "t"),
        lambda: state.number(kept, "f"),
    ):
        with pytest.raises(DamagedError):
            wrong()
