"""Resolves the path of an output file."""

from __future__ import annotations

import os
from pathlib import Path

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible


def resolve_output(path: Path) -> Path:
    """The place of a file of this name: that which a link leads to.

    Raises `UsageError` where something other than a regular file is there, such as a device.
    """
    place = Path(os.path.realpath(path))
    if place.is_symlink():  # it could not be followed to its end
        raise UsageError(f"{visible(path)} is a link that leads in a circle; name another file")
    if place.exists() and not place.is_file():
        what = "a folder; name a file" if place.is_dir() else "not a regular file; name another one"
        raise UsageError(f"{visible(path)} is {what}")
    return place
