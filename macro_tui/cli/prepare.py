"""`macro-tui prepare`: makes a recording from the files of a public data set."""

from __future__ import annotations

import argparse
from pathlib import Path

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible

EXAMPLES = ("macro-tui prepare airline 2007.csv.bz2 --airport ATL --out atl-2007.parquet",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    sets = parser.add_subparsers(dest="data_set", metavar="DATA_SET", required=True)
    airline = sets.add_parser("airline", help="arrivals at one airport, from DataExpo 2009 files")
    airline.add_argument(
        "files", nargs="+", type=Path, metavar="RAW", help="such as 2007.csv.bz2 (.csv, .gz, .bz2)"
    )
    airline.add_argument("--airport", required=True, metavar="CODE", help="such as ATL")
    airline.add_argument(
        "--out", required=True, type=Path, metavar="FILE.parquet", help="the recording to write"
    )


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from macro_engine.datasets.airline import prepare
    from macro_tui.progress import progress_bar

    if arguments.out.suffix != ".parquet":
        raise UsageError(f"--out {visible(arguments.out)}: the name must end in .parquet")
    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    with progress_bar(console) as show:
        result = prepare(
            arguments.files,
            arguments.airport,
            arguments.out,
            lambda done, rows: show(done, f"{rows:,} flights read"),
        )
    console.print(
        f"{visible(arguments.out)}: {result.arrivals:,} arrivals at {visible(arguments.airport)} "
        f"of {result.rows:,} flights read; left out: {result.cancelled:,} cancelled, "
        f"{result.diverted:,} diverted, {result.unusable:,} without a usable number"
        + (f" (the first: {result.first_unusable})" if result.first_unusable else "")
        + (f", {result.broken:,} lines that do not parse" if result.broken else "")
    )
    return 0
