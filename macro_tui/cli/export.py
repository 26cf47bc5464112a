"""`macro-tui export`: write what a run file holds as tables."""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run_file", type=Path, metavar="RUNFILE")
    parser.add_argument(
        "--to", type=Path, metavar="DIR", required=True, help="the folder; made if need be"
    )
    parser.add_argument("--format", choices=("parquet", "csv"), default="parquet")


def run(arguments: argparse.Namespace) -> int:
    from macro_engine.run.export import export
    from macro_engine.visible import visible

    for path in export(arguments.run_file, arguments.to, f".{arguments.format}"):
        print(visible(path))
    return 0
