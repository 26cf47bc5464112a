"""Files that grow, and what happens to such files."""

from __future__ import annotations

import os


def append(path, data):
    with path.open("ab") as file:
        file.write(data)


def rotate(path, data):
    """Rename and create, as logrotate does."""
    for number in range(8, 0, -1):
        older = path.with_name(f"{path.name}.{number}")
        if older.exists():
            older.rename(path.with_name(f"{path.name}.{number + 1}"))
    path.rename(path.with_name(f"{path.name}.1"))
    path.write_bytes(data)


def age(path, seconds):
    """Let the last change of a file lie so far back."""
    changed = path.stat().st_mtime - seconds
    os.utime(path, (changed, changed))
