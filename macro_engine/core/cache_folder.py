"""The folder of the kernel cache, and whether other users could have written to it."""

from __future__ import annotations

import hashlib
import os
import stat
from functools import cache
from importlib.metadata import version
from pathlib import Path

from macro_engine.core.escape import visible

PACKAGE = Path(__file__).parent.parent.absolute()


class UnusableError(Exception):
    """Why there is no folder to keep compiled loops in."""


def cache_folder() -> Path:
    """A folder for exactly these sources and this Numba, of this user alone.

    Numba notices no change in a file that another one uses. What it keeps are pickles, which
    execute what they hold: a folder that others can write to is not used. Raises `UnusableError`.
    """
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache").absolute()
    except RuntimeError:
        raise UnusableError("there is no home folder") from None
    folder = base / "macro-tui" / f"kernels-{_digest()}"
    try:
        base.mkdir(mode=0o700, parents=True, exist_ok=True)
        for part in (folder.parent, folder):
            part.mkdir(mode=0o700, exist_ok=True)
        check_private(folder)
        if not os.access(folder, os.W_OK):
            raise UnusableError("the cache folder cannot be written")
    except OSError as error:
        raise UnusableError(f"the cache folder cannot be written ({error.strerror})") from None
    return folder


@cache  # a process keeps the sources that it was started with
def _digest() -> str:
    """Of the sources of all kernels, and of what compiles them: not of where they are.

    Who installs the same version once more need not wait for the compiler again.
    """
    patterns = ("*/kernels.py", "*/kernels/*.py", "blend/*.py", "stream/*_scale.py")
    kernels = sorted(source for pattern in patterns for source in PACKAGE.glob(pattern))
    compiling = [PACKAGE / "core" / name for name in ("compiling.py", "kernel_cache.py")]
    sources = [source.read_bytes() for source in [*compiling, *kernels]]
    return hashlib.sha256(b"".join([version("numba").encode(), *sources])).hexdigest()[:16]


def check_private(folder: Path) -> None:
    """Raise `UnusableError` if anybody but the user and root can change what a folder holds."""
    place = Path(os.path.realpath(folder))
    for part in (place, *place.parents):
        found = part.stat()
        is_shared = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if part != place and found.st_mode & stat.S_ISVTX:
            is_shared = 0  # as in /tmp: what is in it is left alone
        owners = {os.geteuid()} if part == place else {os.geteuid(), 0}
        if found.st_uid not in owners:
            raise UnusableError(f"{visible(part)} belongs to another user")
        if is_shared:
            raise UnusableError(f"others can write to {visible(part)} (chmod go-w helps)")
