"""Resolves and checks the paths of output files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible


def resolve_output(path: Path) -> Path:
    """Returns the path of the file to write, after following links.

    Raises `UsageError` if the path exists and is not a regular file, such as a device.
    """
    place = Path(os.path.realpath(path))
    if place.is_symlink():  # it could not be followed to its end
        raise UsageError(f"{visible(path)} is a link that leads in a circle; name another file")
    if place.exists() and not place.is_file():
        what = "a folder; name a file" if place.is_dir() else "not a regular file; name another one"
        raise UsageError(f"{visible(path)} is {what}")
    return place


def input_paths(paths: Iterable[Path]) -> dict[Path, str]:
    """Returns the files that a run reads, as `check_output` takes them."""
    return {Path(os.path.realpath(path)): "is read in this run" for path in paths}


def check_suffix(path: Path, option: str, suffixes: Iterable[str], hint: str = "") -> None:
    """Raises `UsageError` if the suffix of an output file names no format."""
    if path.suffix not in suffixes:
        raise UsageError(
            f"{option} {visible(path)}: the name must end in {' or '.join(suffixes)}, which says "
            f"how it is written{hint}"
        )


def check_output(path: Path, option: str, used: Mapping[Path, str]) -> None:
    """Raises `UsageError` if no file can be written at the path, or the run uses it already.

    Parameters
    ----------
    used
        The files that the run reads or writes, and how.
    """
    try:
        resolved = resolve_output(path)
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from None
    if resolved in used:
        raise UsageError(f"{option}: {visible(path)} {used[resolved]}; name another file")
