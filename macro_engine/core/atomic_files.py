"""Files that are written atomically."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path


def write_atomically(files: Mapping[Path, bytes]) -> None:
    """Writes each file beside its place, then puts all of them there.

    Where one of them cannot be written, none appears and nothing is left. Raises `OSError`.
    """
    parts: dict[Path, Path] = {}
    try:
        for place, content in files.items():
            parts[place] = part = place.with_name(f".{uuid.uuid4().hex}.part")
            with part.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for place, part in parts.items():
            os.replace(part, place)
    except BaseException:
        for part in parts.values():
            with suppress(OSError):
                part.unlink()
        raise
