"""Finds recordings in the working folder, then among the shipped ones."""

from __future__ import annotations

from pathlib import Path

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible

_PACKAGE = Path(__file__).parent
# inside the package after a wheel install, beside it in a source tree (editable installs)
_FOLDERS = (_PACKAGE / "replays", _PACKAGE.parent / "replays")


def find_recording(name: str) -> Path:
    """The file of that name; a bare name may be a shipped replay."""
    path = Path(name)
    if path.is_dir():
        raise MacroError(f"{visible(name)} is a folder; name a recording in it")
    if path.exists():
        return path
    if path.name == name:
        for folder in _FOLDERS:
            for candidate in (folder / name, folder / f"{name}.parquet"):
                if candidate.is_file():
                    return candidate
    shipped = ", ".join(sorted(p.name for p in shipped_replays()))
    raise MacroError(
        f"{visible(name)}: no such file, and no shipped replay of that name ({shipped})"
    )


def shipped_replays() -> list[Path]:
    for folder in _FOLDERS:
        found = sorted(folder.glob("*.parquet"))
        if found:
            return found
    return []


def is_shipped(path: Path) -> bool:
    return path.parent in _FOLDERS
