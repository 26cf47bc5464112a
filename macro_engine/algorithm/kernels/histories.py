"""The history before a step: the parts common to all distances."""

from __future__ import annotations

import math

from macro_engine.core.compiling import inlined

SIDE_BY_SIDE = 512  # references whose distances are summed together


@inlined
def oldest_row(h, t, stretch, settings):  # type: ignore[no-untyped-def]
    """Where a history before step t of the stretch begins."""
    length = settings.histories[h]
    return stretch.starts[0 if length < 0 else max(0, t - length)]


@inlined
def count_classes(h, t, stretch, settings, present):  # type: ignore[no-untyped-def]
    """Count the rows of each class in a history before step t; returns how many rows it has."""
    length = settings.histories[h]
    rows = 0
    for c in range(len(present.counts)):
        present.counts[c] = stretch.label_counts[c] if length < 0 else 0
        rows += present.counts[c]
    if length >= 0:
        for i in range(oldest_row(h, t, stretch, settings), stretch.starts[t]):
            present.counts[stretch.labels[i]] += 1
            rows += 1
    return rows


@inlined
def compare_empty(now_empty, n_references, ref_empty, counted, distances):  # type: ignore[no-untyped-def]
    """Two empty histories are at distance 0, an empty one and another infinitely far apart."""
    for r in range(n_references):
        if now_empty or ref_empty[r]:
            distances[r] = 0.0 if now_empty and ref_empty[r] else math.inf
            counted[r] = 1
