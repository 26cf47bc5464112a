"""Files that grow, and what happens to such files."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os

PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def append(path, data):
    with path.open("ab") as file:
        file.write(data)


def rotate(path, data):
    """Rename and create, as logrotate does."""
    for number in range(30, 0, -1):
        for packing in ("", ".gz"):
            older = path.with_name(f"{path.name}.{number}{packing}")
            if older.exists():
                older.rename(path.with_name(f"{path.name}.{number + 1}{packing}"))
    path.rename(path.with_name(f"{path.name}.1"))
    path.write_bytes(data)


def pack(path, packing=".gz"):
    """Compress a file as logrotate does, which keeps the time of its last change."""
    changed = path.stat().st_mtime_ns
    packed = path.with_name(path.name + packing)
    packed.write_bytes(PACK[packing](path.read_bytes()))
    path.unlink()
    os.utime(packed, ns=(changed, changed))
    return packed


def age(path, seconds):
    """Let the last change of a file lie so far back."""
    changed = path.stat().st_mtime - seconds
    os.utime(path, (changed, changed))
