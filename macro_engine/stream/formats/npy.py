"""Videos of the Breakfast Actions data set as streams, in its usual layout.

DIR/features/VIDEO.npy      features by frames
DIR/groundTruth/VIDEO.txt   one label a frame
DIR/mapping.txt             the number and name of each class
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.rows import Floats
from macro_engine.core.state import State, whole
from macro_engine.stream.formats.parquet import SeriesColumn
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.spec import check_width
from macro_engine.stream.table import Column, Table

LABEL = "action"


class BreakfastVideo:
    """One video: a row a frame; classes in the order of mapping.txt, those of this video only."""

    unit = "frame"

    def __init__(self, path: Path) -> None:
        self.path = path
        self.position = 0
        self.frames = _features(path)
        folder = path.absolute().parent.parent
        self.labels = _lines(folder / "groundTruth" / f"{path.stem}.txt")
        self.size = len(self.labels)
        if len(self.frames) != self.size:
            raise MacroError(
                f"{visible(path)} has {len(self.frames)} frames and groundTruth/"
                f"{visible(path.stem)}.txt has {self.size} labels; they must be as many"
            )
        features = [f"f{i}" for i in range(self.frames.shape[1])]
        self.names = [*features, LABEL]
        check_width(len(self.names), path)
        self.notes = [
            "the features were normalised over each whole video by whoever made them: a mild "
            "look-ahead"
        ]
        self.description: dict[str, Any] = {
            "label": LABEL,
            "features": features,
            "categorical": [],
            "classes": self._classes(folder / "mapping.txt"),
        }

    @property
    def done(self) -> float:
        """The share of the video that was read."""
        return self.position / self.size if self.size else 1.0

    def sample(self, rows: int) -> Table:
        """The first rows, with all columns."""
        return self._table(rows, self.names)

    def tables(self, columns: Sequence[str], at: State | None = None) -> Iterator[Table]:
        """The rows of the whole video, with the named columns, unless it was read already."""
        self.position = self.size
        if at is None or whole(at, "row", 0, self.size) == 0:
            yield self._table(self.size, columns)

    def _table(self, rows: int, names: Sequence[str]) -> Table:
        columns: dict[str, Column] = {
            name: TextColumn(self.labels[:rows])
            if name == LABEL
            else SeriesColumn(pl.Series(self.frames[:rows, int(name[1:])]))
            for name in names
        }
        lines = np.arange(1, min(rows, self.size) + 1)
        return Table(self.path.name, self.unit, columns, lines, end={"row": len(lines)})

    def _classes(self, mapping: Path) -> list[str]:
        names = [line.split(maxsplit=1)[-1] for line in _lines(mapping)]
        present = set(self.labels)
        strange = present.difference(names)
        if strange:
            line = next(i for i, label in enumerate(self.labels, start=1) if label in strange)
            raise MacroError(
                f"groundTruth/{visible(self.path.stem)}.txt, line {line}: "
                f"'{visible(self.labels[line - 1])}' is not in {visible(mapping)}"
            )
        if len(present) < 2:
            raise MacroError(
                f"groundTruth/{visible(self.path.stem)}.txt: one class only "
                f"('{visible(next(iter(present), ''))}'); there is nothing to tell apart"
            )
        return [name for name in names if name in present]


def _features(path: Path) -> Floats:
    """Frames by features."""
    try:
        with path.open("rb") as file:
            features = np.lib.format.read_array(file, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise MacroError(f"{visible(path)} is not a readable .npy file: {visible(error)}") from None
    if features.ndim != 2 or not np.issubdtype(features.dtype, np.number):
        raise MacroError(
            f"{visible(path)} holds {features.dtype} of shape {features.shape}; numbers, features "
            "by frames, were expected"
        )
    frames: Floats = features.T.astype(np.float64)
    return frames


def _lines(path: Path) -> list[str]:
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise MacroError(
            f"{visible(path)} cannot be read: {why}; a .npy recording stands in DIR/features, with "
            "DIR/groundTruth and DIR/mapping.txt beside that folder"
        ) from None
    return [line.strip() for line in lines if line.strip()]
