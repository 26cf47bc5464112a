"""`macro-tui feed`: plays a recording into a growing CSV, for practice."""

from __future__ import annotations

import argparse
from pathlib import Path

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_tui.cli.options import add_stream_arguments, end_at_sigterm, length_of, open_from

EXAMPLES = ("macro-tui feed airline-ATL.parquet --to live.csv --rate 200",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_stream_arguments(parser)
    playing = parser.add_argument_group("playing")
    playing.add_argument(
        "--to",
        type=Path,
        required=True,
        metavar="LIVE.csv",
        help="the file to write; LIVE.toml beside it holds the settings for tail",
    )
    pace = playing.add_mutually_exclusive_group(required=True)
    pace.add_argument("--rate", type=float, metavar="N", help="rows a second")
    pace.add_argument("--speed", metavar="60x", help="multiple of the recording's time, or max")
    mishaps = parser.add_argument_group("mishaps, for practice")
    rotation = mishaps.add_mutually_exclusive_group()
    rotation.add_argument(
        "--rotate", type=_count, metavar="N", help="rename the file to FILE.1 every N rows"
    )
    rotation.add_argument("--rotate-every", metavar="LENGTH", help="rename it after this long: 30s")
    mishaps.add_argument(
        "--late-share", type=_share, default=0.0, metavar="P", help="share of rows that come late"
    )
    mishaps.add_argument(
        "--garbage",
        type=_share,
        default=0.0,
        metavar="P",
        help="share of rows followed by a garbage line",
    )


def run(arguments: argparse.Namespace) -> int:
    end_at_sigterm()
    from rich.console import Console

    from macro_engine.datasets.player import Mishaps, Player
    from macro_tui.cli.replay import speed_of
    from macro_tui.progress import progress_bar

    if arguments.to.suffix.lower() != ".csv":
        raise UsageError(f"--to {visible(arguments.to)}: the name must end in .csv")
    opened = open_from(arguments)
    speed = speed_of(arguments)
    assert speed is not None
    if speed.multiple is not None and opened.spec.time is None:
        raise UsageError("--speed: the recording has no times; give --rate, or --speed max")
    seconds = arguments.rotate_every
    mishaps = Mishaps(
        arguments.rotate,
        None if seconds is None else length_of("--rotate-every", seconds),
        arguments.late_share,
        arguments.garbage,
        opened.settings.get("seed") or 0,
    )
    player = Player(opened, arguments.to, speed, mishaps)
    console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
    console.print(f"macro-tui tail {visible(arguments.to)} reads it, at {speed}")
    with progress_bar(console) as show:
        player.play(lambda done, _rows: show(done, player.words))
    console.print(
        f"{visible(arguments.to)}: {player.rows:,} rows written, {player.rotations} rotations"
    )
    return 0


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{visible(text)}' is not a number of rows from 1")
    return int(text)


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 <= share < 1.0:
        raise argparse.ArgumentTypeError(f"'{visible(text)}' is not a share from 0 to 1")
    return share
