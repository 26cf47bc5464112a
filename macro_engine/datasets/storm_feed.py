"""Plays a stormy week into a growing CSV."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import polars as pl

from macro_engine.core.output_path import resolve_output
from macro_engine.datasets.player import Mishaps, Player
from macro_engine.datasets.storm import Storm
from macro_engine.run.playing.speed import Speed
from macro_engine.stream.formats.parquet import KEY
from macro_engine.stream.opening import open_stream

_TIME = "date"  # the column of times in the shipped recordings


def cut(recording: Path, storm: Storm, path: Path) -> None:
    """Writes those days of a recording as one of its own, with the same description."""
    rows = pl.read_parquet(recording).filter(
        (pl.col(_TIME) >= storm.first) & (pl.col(_TIME) < storm.last)
    )
    description = pl.read_parquet_metadata(recording)[KEY]
    rows.write_parquet(resolve_output(path), metadata={KEY: description})


def feed(
    recording: Path,
    storm: Storm,
    to: Path,
    multiple: float,
    may_begin: Callable[[], bool] = lambda: True,
) -> None:
    """Writes the days to a growing CSV: what lies before at once, then so many times as fast.

    Parameters
    ----------
    may_begin
        Asked until it says so, between the two: whoever reads has caught up by then.
    """
    part = to.with_suffix(".parquet")
    cut(recording, storm, part)
    speed = Speed(multiple=multiple)
    player = Player(open_stream([part]), to, speed, Mishaps(), storm.microseconds / 1e6, may_begin)
    player.play(lambda _done, _rows: None)
