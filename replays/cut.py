"""Cut the shipped replays out of six months of US flights.

    python replays/cut.py bts-2001-jan-jun.parquet

The input is `data/flights-3m.parquet` of the npm package vega-datasets 3.2.1. One file for each
airport of the paper is written beside this script; README.md there says what is in them.
"""

import json
import math
import sys
from pathlib import Path

import polars as pl

AIRPORTS = ("ATL", "ORD", "DEN", "PHX", "IAH", "LAS", "DFW")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def cut(flights: pl.DataFrame, airport: str) -> pl.DataFrame:
    """The arrivals at one airport with the columns that the paper's task needs."""
    arrivals = flights.filter(pl.col("destination") == airport).sort("date", maintain_order=True)
    minute = arrivals["date"].dt.hour().cast(pl.Int32) * 60 + arrivals["date"].dt.minute()
    angle = [2 * math.pi * m / 1440 for m in minute]
    return arrivals.select(
        pl.col("date").cast(pl.Datetime("ms")),
        pl.Series("time_of_day", [m / 1440 for m in minute]),
        pl.Series("time_sin", [(math.sin(a) + 1) / 2 for a in angle]),
        pl.Series("time_cos", [(math.cos(a) + 1) / 2 for a in angle]),
        pl.col("distance").cast(pl.Int16),
        pl.Series("weekday", [WEEKDAYS[d - 1] for d in arrivals["date"].dt.weekday()]),
        pl.col("origin"),
        pl.col("delay").cast(pl.Int16),
    )


def description(replay: pl.DataFrame) -> dict[str, object]:
    """What the file says about itself; `docs/streams.md` lists the keys."""
    unit = [0.0, 1.0]
    distances = [float(replay["distance"].min()), float(replay["distance"].max())]
    return {
        "time": "date",
        "label": "delay > 15",
        "features": ["time_of_day", "time_sin", "time_cos", "distance"],
        "categorical": ["weekday", "origin"],
        "classes": ["0", "1"],
        "every": "10m",
        "bounds": {
            "time_of_day": unit,
            "time_sin": unit,
            "time_cos": unit,
            "distance": distances,
        },
        "distance": "labels",
        "history": 6,
    }


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    flights = pl.read_parquet(sys.argv[1])
    for airport in AIRPORTS:
        replay = cut(flights, airport)
        path = Path(__file__).with_name(f"airline-{airport}.parquet")
        replay.write_parquet(
            path,
            compression="zstd",
            compression_level=19,
            metadata={"macro.stream": json.dumps(description(replay))},
        )
        print(f"{path.name}: {len(replay):,} arrivals, {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
