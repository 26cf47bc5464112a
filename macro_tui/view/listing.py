"""The visible part of a list."""

from __future__ import annotations


def visible_range(count: int, room: int, picked: int | None) -> range:
    """The last lines, or those around the picked one.

    >>> visible_range(10, 4, None), visible_range(10, 4, 2)
    (range(6, 10), range(0, 4))
    """
    room = max(room, 0)
    if picked is None:
        return range(max(count - room, 0), count)
    start = min(max(picked - room // 2, 0), max(count - room, 0))
    return range(start, min(start + room, count))
