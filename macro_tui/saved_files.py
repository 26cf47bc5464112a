"""Files that the monitor saves in the working folder."""

from __future__ import annotations

import csv
import itertools
from dataclasses import astuple
from pathlib import Path
from typing import IO

import numpy as np

from macro_engine.stream.times import iso
from macro_tui.view.scene import Scene


def new_file(stem: str, suffix: str) -> IO[str]:
    """Creates the first of `stem.csv`, `stem-2.csv`, ... that does not exist."""
    for number in itertools.count(1):
        name = f"{stem}{suffix}" if number == 1 else f"{stem}-{number}{suffix}"
        try:
            return Path(name).open("x", encoding="utf-8", newline="")
        except FileExistsError:
            continue
    raise AssertionError


def write_csv(file: IO[str], scene: Scene) -> None:
    """Writes what is in view: a line for each column of the chart that has steps.

    Errors are shares of rows, in the moving window and since the start. What strategies show is
    that of the last step.
    """
    history, page = scene.history, scene.page
    moments = np.unique(np.minimum(page.edges[1:][page.begins < scene.steps], scene.steps))
    points = history.at(moments)
    recent, so_far = history.errors(moments, scene.window), history.errors(moments, None)
    weights = history.weights(moments)
    if weights is None:
        weights = np.empty((0, len(moments)))
    writer = csv.writer(file)
    names = history.series
    writer.writerow(
        [
            "steps",
            "rows",
            "time",
            *(f"error of {name}, last {scene.window} steps" for name in names),
            *(f"error of {name}" for name in names),
            *(f"weight of {name}" for name in history.members[: len(weights)]),
            *(" ".join(filter(None, astuple(shown))) for shown in history.names.shown),
            *(f"active at {name}" for name in history.members),
            *(f"subroutines at {name}" for name in history.members),
        ]
    )
    for i, moment in enumerate(moments.tolist()):
        numbers = [
            *recent[:, i].tolist(),
            *so_far[:, i].tolist(),
            *weights[:, i].tolist(),
            *points.shown[:, i].tolist(),
        ]
        writer.writerow(
            [
                moment,
                int(points.rows[i]),
                "" if points.times is None else iso(int(points.times[i])),
                *numbers,
                *points.active[:, i].tolist(),
                *points.subroutines[:, i].tolist(),
            ]
        )
