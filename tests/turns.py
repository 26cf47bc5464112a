"""Who may run when tests run side by side.

Tests that watch the clock are marked `alone`: nothing else runs beside them. The others share.
"""

import fcntl
import os
from contextlib import contextmanager
from pathlib import Path

_ROOM = Path(__file__).parent
_DOOR = _ROOM / "benchmarks"


@contextmanager
def turn(alone):
    """Wait until it may run: alone, or beside others."""
    # whoever wants to be alone keeps the door shut until all others have left
    with _opened(_ROOM) as room:
        with _opened(_DOOR) as door:
            fcntl.flock(door, fcntl.LOCK_EX)
            fcntl.flock(room, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield


@contextmanager
def _opened(folder):
    """A descriptor of a folder; locks on it end with it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
