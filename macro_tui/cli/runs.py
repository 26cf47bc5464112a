"""`macro-tui runs`: the run files of a folder and their state."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Literal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "folder", type=Path, nargs="?", default=Path(), metavar="DIR", help="default: this one"
    )


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from macro_engine.errors import MacroError
    from macro_engine.run.overview import overview
    from macro_engine.visible import visible

    if not arguments.folder.is_dir():
        raise MacroError(f"{visible(arguments.folder)}: no such folder")
    found = sorted(arguments.folder.glob("*.run"))
    if not found:
        print(f"no run files in {visible(arguments.folder)}")
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("run", "state", "steps", "rows", "FTL", "marginal", "size", "last commit"):
        justify: Literal["left", "right"] = "left" if heading in ("run", "state") else "right"
        table.add_column(heading, justify=justify, no_wrap=True)
    for path in found:
        table.add_row(*(Text(text) for text in overview(path)))
    Console(highlight=False, markup=False, soft_wrap=True).print(table)
    return 0
