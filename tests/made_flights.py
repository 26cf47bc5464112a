"""Small streams for the paper's experiments."""

import numpy as np
import polars as pl

from macro_engine.datasets.airline import write_recording
from macro_tui.replays import find_recording


def made_flights(folder, airports=("DEN", "LAS"), rows=3000):
    """The first arrivals at some airports, as recordings in a folder."""
    for airport in airports:
        flights = pl.read_parquet(find_recording(f"airline-{airport}")).head(rows)
        write_recording(
            flights, folder / f"airline-{airport}.parquet", "date", ("weekday", "origin")
        )
    return folder


def made_videos(folder, names, frames=60):
    """Videos in the layout of the field: scenes that come back."""
    for part in ("features", "groundTruth"):
        (folder / part).mkdir()
    (folder / "mapping.txt").write_text("0 SIL\n1 pour\n2 stir\n")
    labels = (["SIL"] * 10 + ["pour"] * 10 + ["stir"] * 10) * (frames // 30)
    for seed, name in enumerate(names):
        random = np.random.default_rng(seed)
        scenes = np.repeat(random.normal(0, 4, (frames // 10, 4)), 10, axis=0)
        np.save(folder / "features" / f"{name}.npy", (scenes + random.normal(size=(frames, 4))).T)
        (folder / "groundTruth" / f"{name}.txt").write_text("\n".join(labels) + "\n")
    return folder
