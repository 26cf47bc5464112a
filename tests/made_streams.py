"""Streams made for tests: random ones, and ones whose answer is known."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st

from macro_engine.core.rows import Block, Columns, Rows

COLUMNS = Columns(("a", "b"), ("place",), (("x", "y", "z"),))


def block_of(labels, lengths, numbers=None, slots=None, columns=COLUMNS):
    """A block of steps of the given lengths; numbers and slots are 0 unless given."""
    n = len(labels)
    numbers = np.zeros((n, len(columns.numbers))) if numbers is None else np.asarray(numbers, float)
    slots = np.zeros((n, len(columns.categories)), np.int64) if slots is None else slots
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    assert starts[-1] == n
    return Block(Rows(numbers, slots, np.asarray(labels, np.int64), columns), starts, None, 0, 0)


def random_block(seed, classes, lengths, coarse=False):
    """Rows drawn at random; coarse numbers make ties likely."""
    rng = np.random.default_rng(seed)
    n = sum(lengths)
    numbers = rng.integers(0, 3, (n, 2)) / 2 if coarse else rng.random((n, 2))
    # stretches in which some classes are rare or missing
    favourite = np.repeat(rng.integers(0, classes, len(lengths)), lengths)
    labels = np.where(rng.random(n) < 0.6, favourite, rng.integers(0, classes, n))
    return block_of(labels, lengths, numbers, rng.integers(0, 3, (n, 1)))


def random_blocks():
    """A strategy: single rows and larger steps, two to five classes, with and without ties."""
    return st.builds(
        random_block,
        seed=st.integers(0, 2**32 - 1),
        classes=st.sampled_from([2, 3, 5]),
        lengths=st.lists(st.integers(1, 6), min_size=1, max_size=25),
        coarse=st.booleans(),
    )


def classes_of(block):
    return max(2, int(block.rows.labels.max()) + 1)


def same(a, b):
    """Equal to the last bit, where NaN equals NaN."""
    return np.array_equal(a, b, equal_nan=True)


def equal_or_both_missing(distance, recorded):
    return math.isnan(recorded) if distance is None else distance == recorded
