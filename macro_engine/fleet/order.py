"""The order in which streams start, so that workers end at about the same time."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import product

_WORTH_A_LOOK = 20_000_000  # bytes of all files: some seconds of work
_CELL = 8  # bytes
_SETTLED_BY_EXCHANGE = 100  # streams; of more than that the longest first is good enough


def sizes_of(paths: Sequence[str]) -> list[int]:
    """How long streams are, about: bytes of files; 0 where there is no file.

    A Parquet file counts as what its cells would take as text, since its own bytes tell how well
    it is packed; but not where there is little to gain, or much to look into.
    """
    found = []
    for path in paths:
        try:
            found.append(os.stat(path).st_size)
        except OSError:
            found.append(0)
    if len(paths) <= _SETTLED_BY_EXCHANGE and sum(found) >= _WORTH_A_LOOK:
        for place, path in enumerate(paths):
            if path.lower().endswith(".parquet"):
                found[place] = _as_text(path) or found[place]
    return found


def _as_text(path: str) -> int:
    """Bytes of the cells of a Parquet file; 0 if it cannot be read, which its run will say."""
    import polars as pl

    try:
        frame = pl.scan_parquet(path)
        return _CELL * len(frame.collect_schema()) * int(frame.select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError):
        return 0


def best_order(sizes: Sequence[float], workers: int) -> list[int]:
    """Returns the order in which free workers take tasks, as indices.

    With one worker it is the order as given. Otherwise the longest goes first to whoever is free;
    then pieces of the worker that ends last are exchanged for those of others while it ends earlier
    by that.

    >>> best_order([3, 1, 2], 1)
    [0, 1, 2]
    >>> best_order([3, 3, 2, 2, 2], 2)
    [1, 2, 4, 0, 3]
    """
    places = range(len(sizes))
    if workers < 2 or len(sizes) <= workers:
        return list(places)
    lists: list[list[int]] = [[] for _ in range(workers)]
    ends = [0.0] * workers
    for place in sorted(places, key=lambda place: -sizes[place]):
        first = ends.index(min(ends))
        lists[first].append(place)
        ends[first] += sizes[place]
    if len(sizes) <= _SETTLED_BY_EXCHANGE:
        while _exchanged(lists, sizes):
            pass
    begins = {}
    for one in lists:
        load = 0.0
        for place in sorted(one, key=lambda place: -sizes[place]):
            begins[place] = load
            load += sizes[place]
    return sorted(places, key=lambda place: (begins[place], -sizes[place]))


def _exchanged(lists: list[list[int]], sizes: Sequence[float]) -> bool:
    """Makes the worker that ends last end as early as one exchange can; False if none helps."""
    ends = [sum(sizes[place] for place in one) for one in lists]
    last = max(range(len(lists)), key=ends.__getitem__)
    best, least = None, ends[last]
    for other in (k for k in range(len(lists)) if k != last):
        for mine, its in product(lists[last], [None, *lists[other]]):
            moved = sizes[mine] - (0 if its is None else sizes[its])
            later = max(ends[last] - moved, ends[other] + moved)
            if later < least:
                best, least = (other, mine, its), later
    if best is None:
        return False
    other, mine, its = best
    lists[last].remove(mine)
    lists[other].append(mine)
    if its is not None:
        lists[other].remove(its)
        lists[last].append(its)
    return True
