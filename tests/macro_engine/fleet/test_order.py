"""The order in which streams begin, beside the best division there is."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

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
