"""`macro-tui export`: writes the contents of a run file as tables."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

EXAMPLES = ("macro-tui export ops.run --to out --format csv",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "run_file", type=Path, metavar="RUNFILE", help="a run file; the run may still be going on"
    )
    parser.add_argument(
        "--to",
        type=Path,
        metavar="DIR",
        required=True,
        help="output folder; created if it does not exist",
    )
    parser.add_argument(
        "--format", choices=("parquet", "csv"), default="parquet", help="default parquet"
    )


def run(arguments: argparse.Namespace) -> int:
    from macro_engine.core.escape import visible
    from macro_engine.run.export import export

    exported = export(arguments.run_file, arguments.to, f".{arguments.format}")
    for path in exported.files:
        print(visible(path))
    name = visible(arguments.run_file)
    if exported.dropped:
        print(f"macro-tui: {name}: {exported.dropped}", file=sys.stderr)
    for what in exported.damage:
        print(f"macro-tui: {name} is damaged: {visible(what, 300)}", file=sys.stderr)
    if exported.damage:
        print("macro-tui: only intact data was written", file=sys.stderr)
    return 1 if exported.damage else 0
