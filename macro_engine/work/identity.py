"""The identity of a task: the program, and the content of its data."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

import macro_engine
from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible

_PIECE = 1 << 20  # bytes read at a time


@cache
def program() -> str:
    """The version of this program with a digest of its sources.

    What was computed by other sources is computed again, whatever their version says.
    """
    root = Path(macro_engine.__file__).parent
    digest = hashlib.sha256()
    for source in sorted(root.rglob("*.py")):
        digest.update(source.relative_to(root).as_posix().encode() + b"\0" + source.read_bytes())
    return f"{macro_engine.__version__}+{digest.hexdigest()[:12]}"


def fingerprint(path: Path) -> str:
    """Tells the content of a file or of a folder, wherever it lies."""
    try:
        if path.is_dir():
            found = hashlib.sha256()
            for file in sorted(file for file in path.rglob("*") if file.is_file()):
                name = file.relative_to(path).as_posix()
                found.update(f"{name}\0{_of_file(file)}\n".encode("utf-8", "surrogateescape"))
            return found.hexdigest()
        return _of_file(path)
    except OSError as error:
        raise MacroError(f"{visible(path)} cannot be read: {error.strerror}") from None


def _of_file(path: Path) -> str:
    status = os.stat(path)
    return _digest(os.path.realpath(path), status.st_mtime_ns, status.st_size, status.st_ino)


@cache
def _digest(path: str, _changed: int, _size: int, _number: int) -> str:
    """The digest of a file, computed once for as long as it does not change."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
