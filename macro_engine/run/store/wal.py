"""Checks whether commits are missing from the write-ahead log of a run.

SQLite takes the log as far as its checksums match, so that a damaged log looks like one that ends
earlier. What a writer left tells more: the index in the -shm file says how far it got, and frames
behind the end that carry the mark of a commit belong to a transaction that was finished.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path

_HEADER, _FRAME_HEADER, _INDEX_HEADER = 32, 24, 48
_MAGIC = (0x377F0682, 0x377F0683)
# Closing a descriptor of a file drops every lock that this process has on it. SQLite's are on the
# index, and without them another process takes it for abandoned and cuts it off: those of indices
# stay open until the process ends.
_indices: dict[tuple[int, int], int] = {}


@dataclass(frozen=True)
class Index:
    """The index in the -shm file: numbers of committed and of copied frames of the log."""

    frames: int
    copied: int


def index_of(path: Path) -> Index | None:
    """The index as it is now; None where there is none or it is being written."""
    try:
        start = os.pread(_opened(path.with_name(f"{path.name}-shm")), 2 * _INDEX_HEADER + 4, 0)
    except OSError:
        return None
    one, other = start[:_INDEX_HEADER], start[_INDEX_HEADER : 2 * _INDEX_HEADER]
    copied = start[2 * _INDEX_HEADER :]
    if len(copied) < 4 or one != other or not one[12] or not _is_whole(one):
        return None
    return Index(*struct.unpack_from("=I", one, 16), *struct.unpack("=I", copied))


def commits_are_missing(path: Path, before: Index | None, now: Index | None) -> bool:
    """Whether the log has commits that SQLite did not take.

    Parameters
    ----------
    before, now
        The index before the file was opened, and after SQLite read the log.
    """
    taken = 0 if now is None else now.frames
    if before is not None and not taken and before.copied >= before.frames:
        return False  # the file itself has everything
    if before is not None and before.frames > taken:
        return True
    try:
        log = path.with_name(f"{path.name}-wal").open("rb")
    except OSError:
        return False
    with log:
        header = log.read(_HEADER)
        if len(header) < _HEADER or struct.unpack_from(">I", header)[0] not in _MAGIC:
            return len(header) == _HEADER and any(header)
        size, salts = struct.unpack_from(">I", header, 8)[0], header[16:24]
        if not 512 <= size <= 65_536:
            return True
        number = taken
        while True:
            log.seek(_HEADER + number * (_FRAME_HEADER + size))
            frame = log.read(_FRAME_HEADER)
            if len(frame) < _FRAME_HEADER:
                return False
            if frame[8:16] == salts and struct.unpack_from(">I", frame, 4)[0]:
                return True
            number += 1


def _opened(index: Path) -> int:
    """A descriptor of an index file."""
    found = os.stat(index)
    if (found.st_dev, found.st_ino) not in _indices:
        descriptor = os.open(index, os.O_RDONLY | os.O_CLOEXEC)
        found = os.fstat(descriptor)  # it may have been replaced in between
        _indices[found.st_dev, found.st_ino] = descriptor
    return _indices[found.st_dev, found.st_ino]


def _is_whole(header: bytes) -> bool:
    """Whether an index header matches its checksum."""
    a = b = 0
    for x, y in struct.iter_unpack("=II", header[:40]):
        a = (a + x + b) & 0xFFFFFFFF
        b = (b + y + a) & 0xFFFFFFFF
    return struct.unpack_from("=II", header, 40) == (a, b)
