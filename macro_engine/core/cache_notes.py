"""Notes in the cache folder: the kernels in it, and how long compilation takes."""

from __future__ import annotations

import fcntl
import hashlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from macro_engine.core.cache_folder import UnusableError, cache_folder

_PACE = "compiler-pace"
_SLOWEST = 100.0
DIGEST = hashlib.sha256().digest_size  # a checksum ends each file that is kept


def found_folder() -> tuple[Path | None, str]:
    """The folder for compiled loops, or why there is none, which is no error."""
    try:
        return cache_folder(), ""
    except UnusableError as error:
        return None, str(error)


def is_whole(path: Path) -> bool:
    """Whether a kept file is what was written."""
    data = path.read_bytes()
    return hashlib.sha256(data[:-DIGEST]).digest() == data[-DIGEST:]


def kept_files(folder: Path) -> list[Path]:
    """The files of compiled loops in a folder."""
    return sorted(path for path in folder.glob("*/*") if path.suffix in (".nbi", ".nbc"))


def is_warm(folder: Path, name: str) -> bool:
    """Whether all kernels of a name were compiled and kept."""
    return (folder / _marker_name(name)).exists()


def mark_as_warm(folder: Path, name: str) -> None:
    with suppress(OSError):
        (folder / _marker_name(name)).touch()


@contextmanager
def compile_lock(folder: Path, name: str, wait: Callable[[], None]) -> Iterator[None]:
    """Locks the kernels of a name against other compiling processes; calls `wait` until it can."""
    with (folder / f"lock-{name}").open("w") as file:
        while True:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                wait()
        yield


def compiler_pace(folder: Path) -> float:
    """Returns the ratio of the last compile time on this machine to the expected one."""
    try:
        pace = float((folder.parent / _PACE).read_text())
    except (OSError, ValueError):
        return 1.0
    return pace if 0.0 < pace < _SLOWEST else 1.0


def keep_compiler_pace(folder: Path, pace: float) -> None:
    with suppress(OSError):
        (folder.parent / _PACE).write_text(f"{pace:.3f}\n")


@cache  # looking up a version reads files
def _marker_name(name: str) -> str:
    """Compiled code is for one version of Python and of Numba."""
    python = ".".join(map(str, sys.version_info[:3]))
    return f"warm-{python}-{version('numba')}-{name}"
