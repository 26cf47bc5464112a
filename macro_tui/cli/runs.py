"""`macro-tui runs`: lists or checks the run files of a folder."""

from __future__ import annotations

import argparse
from pathlib import Path

HEADINGS = ("run", "state", "steps", "rows", "error", "marginal", "size", "last commit")
_LEFT = 2  # of them stand at the left

EXAMPLES = (
    "macro-tui runs",
    "macro-tui runs --check ops.run",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        default=Path(),
        metavar="DIR",
        help="default: the working folder",
    )
    parser.add_argument(
        "--check",
        type=Path,
        metavar="FILE|DIR",
        help="verify a run file, or every run file of a folder, and print which steps are intact; "
        "exit code 1 if one is damaged",
    )


def run(arguments: argparse.Namespace) -> int:
    from macro_engine.core.errors import MacroError
    from macro_engine.core.escape import visible
    from macro_engine.run.run_listing import listing_line

    if arguments.check is not None:
        return _check(arguments.check)
    if not arguments.folder.is_dir():
        name = visible(arguments.folder)
        if arguments.folder.exists():
            raise MacroError(f"{name} is not a folder; to look at a run file: macro-tui watch FILE")
        raise MacroError(f"{name}: no such folder")
    found = _run_files(arguments.folder)
    if not found:
        print(f"no run files in {visible(arguments.folder)}")
        return 0
    lines = [HEADINGS, *map(listing_line, found)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (
            text.ljust(width) if i < _LEFT else text.rjust(width)
            for i, (text, width) in enumerate(zip(line, widths, strict=True))
        )
        print("  ".join(cells).rstrip())
    return 0


def _run_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.run") if path.is_file())


def _check(place: Path) -> int:
    from macro_engine.core.errors import MacroError
    from macro_engine.core.escape import visible
    from macro_engine.run.store.check import check

    if not place.is_dir():
        lines, is_whole = check(place)
        print("\n".join(lines))
        return 0 if is_whole else 1
    found = _run_files(place)
    if not found:
        print(f"no run files in {visible(place)}")
    code = 0
    for path in found:
        try:
            lines, is_whole = check(path)
        except MacroError as error:  # the others are checked all the same
            lines, is_whole = [str(error)], False
        print("\n".join(lines))
        code = code if is_whole else 1
    return code
