"""The Atlanta replay laid end to end, times shifted, as one recording."""

from datetime import timedelta
from pathlib import Path

import polars as pl

from macro_engine.stream.formats.parquet import KEY
from macro_tui.replays import find_recording


def lay(copies: int, path: Path) -> Path:
    replay = find_recording("airline-ATL.parquet")
    rows = pl.read_parquet(replay)
    days = timedelta(days=(rows["date"].max() - rows["date"].min()).days + 1)
    parts = [rows.with_columns(date=pl.col("date") + days * copy) for copy in range(copies)]
    description = pl.read_parquet_metadata(replay)[KEY]
    pl.concat(parts).write_parquet(path, metadata={KEY: description})
    return path
