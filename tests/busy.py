"""Bounds on time that hold on a busy machine too."""

import os
import time


def within(seconds):
    """A bound for a quiet machine, with room for as many others as now share it."""
    return seconds * max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))


def wait_for(condition, seconds=120):
    """Until a condition holds, however long that takes; it fails only where it never will."""
    ends = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < ends
        time.sleep(0.01)
