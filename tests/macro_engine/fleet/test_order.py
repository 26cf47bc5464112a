"""The order in which streams begin, beside the best division there is."""

from itertools import product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from macro_engine.fleet import order
from macro_engine.fleet.order import best_order, sizes_of

AIRPORTS = [124_232, 66_799, 156_515, 64_373, 67_424, 165_573, 92_767]  # ATL DEN DFW IAH LAS ...


def last_end(sizes, order, workers):
    """When the last worker ends, if whoever is free takes the next."""
    ends = [0] * workers
    for place in order:
        free = ends.index(min(ends))
        ends[free] += sizes[place]
    return max(ends)


def test_seven_airports_are_divided_as_well_as_can_be():
    best = min(
        max(sum(s for s, one in zip(AIRPORTS, taken, strict=True) if one == w) for w in (0, 1))
        for taken in product((0, 1), repeat=7)
    )
    assert last_end(AIRPORTS, best_order(AIRPORTS, 2), 2) == best == 373_514
    assert last_end(AIRPORTS, range(7), 2) == 388_887


@given(st.lists(st.integers(0, 1000), max_size=30), st.integers(2, 5))
def test_each_begins_once_and_nobody_ends_later_than_by_the_longest_first(sizes, workers):
    order = best_order(sizes, workers)
    assert sorted(order) == list(range(len(sizes)))
    longest_first = sorted(order, key=lambda place: -sizes[place])
    assert last_end(sizes, order, workers) <= last_end(sizes, longest_first, workers)


@pytest.mark.parametrize("workers", [1, 0])
def test_one_worker_takes_them_as_they_are_named(workers):
    assert best_order([1, 3, 2], workers) == [0, 1, 2]


def test_what_is_no_file_has_no_size(tmp_path):
    (tmp_path / "a").write_text("four")
    assert sizes_of([str(tmp_path / "a"), str(tmp_path / "b"), "kafka://host/topic"]) == [4, 0, 0]


def test_a_parquet_file_counts_by_its_cells_however_well_it_is_packed(tmp_path, monkeypatch):
    packed, loose, broken = (str(tmp_path / f"{name}.parquet") for name in ("a", "b", "c"))
    pl.DataFrame({"x": [1.5] * 30_000}).write_parquet(packed)
    pl.DataFrame({"x": [k / 7 for k in range(10_000)]}).write_parquet(loose)
    (tmp_path / "c.parquet").write_bytes(b"PAR1")
    bytes_of = sizes_of([packed, loose])
    assert bytes_of[0] < bytes_of[1]  # nothing is opened for small files
    monkeypatch.setattr(order, "_WORTH_A_LOOK", 0)
    assert sizes_of([packed, loose, broken]) == [240_000, 80_000, 4]
