"""Cut the shipped replays out of six months of US flights.

    python replays/cut.py flights-3m.parquet

The input is `data/flights-3m.parquet` of the npm package vega-datasets 3.2.1. One file for each
airport of the paper is written beside this script; README.md there says what is in them.
"""

import sys
from pathlib import Path

import polars as pl

from macro_engine.datasets.airline import clock_columns, write_recording

AIRPORTS = ("ATL", "ORD", "DEN", "PHX", "IAH", "LAS", "DFW")


def cut(flights: pl.DataFrame, airport: str) -> pl.DataFrame:
    """The arrivals at one airport with the columns that the paper's task needs."""
    arrivals = flights.filter(pl.col("destination") == airport).sort("date", maintain_order=True)
    minutes = arrivals["date"].dt.epoch("s").to_numpy() // 60
    return arrivals.select(
        pl.col("date").cast(pl.Datetime("ms")),
        *(series.alias(name) for name, series in clock_columns(minutes).items()),
        pl.col("distance").cast(pl.Int16),
        pl.col("origin"),
        pl.col("delay").cast(pl.Int16),
    )


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    flights = pl.read_parquet(sys.argv[1])
    for airport in AIRPORTS:
        replay = cut(flights, airport)
        path = Path(__file__).with_name(f"airline-{airport}.parquet")
        write_recording(replay, path, "date", ("weekday", "origin"))
        print(f"{path.name}: {len(replay):,} arrivals, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
