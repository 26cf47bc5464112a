"""`macro-tui bench`: measures speed, as ratios to River in the same run."""

from __future__ import annotations

import argparse
import json

EXAMPLES = ("macro-tui bench --rounds 2",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rounds",
        type=_rounds,
        default=5,
        metavar="N",
        help="number of timings of each; default 5",
    )
    parser.add_argument(
        "--json", action="store_true", help="the results as one document on standard output"
    )


def _rounds(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of rounds")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console
    from rich.table import Table

    from macro_engine.run.bench import measure
    from macro_engine.stream.opening import open_stream
    from macro_engine.stream.table import Rejections
    from macro_tui.progress import progress_bar
    from macro_tui.replays import shipped_replays

    recording = "airline-ATL.parquet"
    path = next(path for path in shipped_replays() if path.name == recording)
    opened = open_stream([path])
    block = next(opened.reader(Rejections()).blocks())
    with progress_bar(Console(stderr=True)) as show:
        results = measure(block, arguments.rounds, show)
    if arguments.json:
        document = {
            "recording": recording,
            "rows": len(block.rows),
            "rounds": arguments.rounds,
            "results": [
                {
                    "key": r.key,
                    "what": r.what,
                    "microseconds_a_row": r.microseconds,
                    "ratio_to_river": r.ratio,
                }
                for r in results
            ],
        }
        print(json.dumps(document, indent=1))
        return 0
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    table.add_column("")
    table.add_column("us a row", justify="right")
    table.add_column("to River", justify="right")
    for r in results:
        table.add_row(f"({r.key})", r.what, f"{r.microseconds:.2f}", f"{r.ratio:.2f}")
    console = Console(highlight=False, markup=False)
    console.print(table)
    console.print(
        f"{recording}, {len(block.rows):,} rows; the middle of {arguments.rounds} rounds, "
        "in each of which all took turns"
    )
    return 0
