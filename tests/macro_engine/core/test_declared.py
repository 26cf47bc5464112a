import numpy as np
import pytest

from macro_engine.core.declared import (
    Array,
    ByteString,
    Declared,
    Flag,
    Indices,
    Integer,
    StatePart,
    Text,
    Texts,
)
from macro_engine.core.state import DamagedError, pack, unpack


class Inner:
    remembers = Declared(Integer("count", 1, 10))

    def __init__(self):
        self.count = 3

    def state(self):
        return self.remembers.state_of(self)

    def restore(self, state):
        self.remembers.restore(self, state)


class Owner:
    remembers = Declared(
        Integer("count"),
        Integer("last", -1, "count"),
        Array("labels", np.int64, ("rows",), low=0, below="classes"),
        Array("numbers", np.float64, ("rows", 2)),
        Array("times", np.int64, ("rows",), optional=True),
        Array("losses", np.float64, ("members",), as_list=True),
        Indices("active", ("members", "rows"), below="classes"),
        Flag("is_open"),
        Text("file"),
        Texts("names", "rows"),
        ByteString("head"),
        StatePart("inner"),
        StatePart("absent"),
    )

    def __init__(self):
        self.count, self.last = 5, 4
        self.labels = np.array([0, 1, 1])
        self.numbers = np.ones((3, 2))
        self.times = None
        self.losses = [0.5, 0.25]
        self.active = np.array([[1, 0, 1], [0, 0, 1]])
        self.is_open = True
        self.file = "a.csv"
        self.names = ["a", "b", "c"]
        self.head = b"\x00\xff"
        self.inner = Inner()
        self.absent = None


def restored(state):
    owner = Owner()
    Owner.remembers.restore(owner, unpack(pack(state)), classes=2, members=2)
    return owner


def test_what_is_stored_is_restored():
    owner = Owner()
    owner.count, owner.last, owner.is_open, owner.head = 9, 7, False, b"head"
    owner.labels, owner.numbers, owner.names = np.array([1]), np.zeros((1, 2)), ["x"]
    owner.active = np.array([[1], [0]])
    owner.inner.count = 7
    found = restored(Owner.remembers.state_of(owner))
    assert (found.count, found.last, found.is_open, found.head) == (9, 7, False, b"head")
    assert found.labels.tolist() == [1]
    assert found.losses == [0.5, 0.25]
    assert found.active.tolist() == [[1], [0]]
    assert found.active.dtype == np.int64
    assert Owner.remembers.state_of(owner)["active"].dtype == np.uint8
    assert found.times is None
    assert found.inner.count == 7


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("count", -1),
        ("count", "5"),
        ("last", 5),  # not below the count
        ("labels", np.array([0, 2, 1])),  # not below the number of classes
        ("labels", np.array([0, -1, 1])),
        ("labels", np.array([0.0, 1.0, 1.0])),
        ("numbers", np.ones((2, 2))),  # fewer rows than labels
        ("numbers", np.ones((3, 3))),
        ("times", np.array([1, 2])),
        ("losses", np.ones(3)),
        ("active", np.array([[1, 0, 2], [0, 0, 1]])),  # not below the number of classes
        ("active", np.array([[1, 0, -1], [0, 0, 1]])),
        ("active", np.array([[1, 0], [0, 0]])),
        ("active", np.ones((2, 3))),
        ("is_open", 1),
        ("file", None),
        ("names", ["a"]),
        ("head", "no digits"),
        ("inner", {"count": 10}),
        ("inner", None),
    ],
)
def test_a_value_that_cannot_be_is_refused(name, value):
    state = Owner.remembers.state_of(Owner())
    with pytest.raises(DamagedError):
        restored(state | {name: value})


def test_a_state_does_not_change_with_its_owner():
    owner = Owner()
    state = Owner.remembers.state_of(owner)
    owner.numbers[:] = 7.0
    assert (state["numbers"] == 1.0).all()
