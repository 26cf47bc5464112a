"""What is stored of the tables, commit by commit."""

import pytest
from made_blends import made, same

from macro_engine.blend import journal
from macro_engine.blend.blend import Blend
from macro_engine.blend.compiled import CompiledBlend
from macro_engine.blend.journal import Journal
from macro_engine.core.state import DamagedError, pack, unpack

BOTH = pytest.mark.parametrize("blend", [Blend, CompiledBlend])


class Store:
    """The parts that a run file holds."""

    def __init__(self):
        self.parts = {}
        self.written = []

    def commit(self, changes):
        for name, state in changes.items():
            if state is None:
                del self.parts[name]
            else:
                self.parts[name] = unpack(pack(state))
        self.written.append(sorted(name for name, state in changes.items() if state))


def committed(one, stream, bounds, whole_at_the_end=False):
    kept, store = Journal(), Store()
    for n, (a, b) in enumerate(bounds):
        one.run(*stream.cut(a, b))
        store.commit(kept.parts(one, whole_at_the_end and n == len(bounds) - 1))
    return store


@BOTH
def test_changes_add_up_to_the_tables(blend):
    stream = made(rows=200, step=1)
    one = blend(stream.shape)
    store = committed(one, stream, [(0, 150), (150, 151), (151, 152), (152, 154)])
    assert store.written == [["0"], ["1"], ["2"], ["3"]]
    assert same(Journal().joined(store.parts, stream.shape), one.cells())


@BOTH
def test_a_commit_writes_the_cells_that_changed_and_nothing_without_any(blend):
    stream = made(rows=200, step=1)
    one = blend(stream.shape)
    store = committed(one, stream, [(0, 199), (199, 200), (200, 200)])
    assert store.written == [["0"], ["1"], []]
    changed = [len(part["index"]) for part in store.parts["1"]["tiles"]]
    assert all(0 < n <= 48 for n in changed)


def test_changes_that_take_more_room_than_the_tables_give_way_to_them():
    stream = made(rows=200, step=1)
    one = CompiledBlend(stream.shape)
    store = committed(one, stream, [(0, 10), (0, 10), (0, 10)])
    assert store.written == [["0"], ["1"], ["0"]]
    assert {*store.parts} == {"0"}
    assert same(Journal().joined(store.parts, stream.shape), one.cells())


def test_so_do_too_many_of_them(monkeypatch):
    monkeypatch.setattr(journal, "MOST_PARTS", 3)
    stream = made(rows=200, step=1)
    store = committed(
        CompiledBlend(stream.shape), stream, [(0, 150), *((n, n + 1) for n in range(150, 154))]
    )
    assert store.written == [["0"], ["1"], ["2"], ["0"], ["1"]]


def test_at_the_end_what_is_stored_does_not_depend_on_when_it_was():
    stream = made(rows=200, step=1)
    often = [(0, 150), (150, 151), (151, 200)]
    stores = [
        committed(CompiledBlend(stream.shape), stream, bounds, whole_at_the_end=True)
        for bounds in (often, [(0, 200)])
    ]
    assert same(stores[0].parts, stores[1].parts)


def test_a_journal_goes_on_from_what_is_stored():
    stream = made(rows=200, step=1)
    one = CompiledBlend(stream.shape)
    store = committed(one, stream, [(0, 150), (150, 151)])
    later, again = CompiledBlend(stream.shape), Journal()
    later.restore(one.state() | {"tiles": again.joined(store.parts, stream.shape)})
    later.run(*stream.cut(151, 152))
    one.run(*stream.cut(151, 152))
    store.commit(again.parts(later, whole=False))
    assert store.written[-1] == ["2"]
    assert same(Journal().joined(store.parts, stream.shape), one.cells())


@pytest.mark.parametrize("missing", ["0", "1"])
def test_parts_that_are_missing_are_damage(missing):
    stream = made(rows=200, step=1)
    store = committed(CompiledBlend(stream.shape), stream, [(0, 150), (150, 151), (151, 152)])
    del store.parts[missing]
    with pytest.raises(DamagedError):
        Journal().joined(store.parts, stream.shape)
