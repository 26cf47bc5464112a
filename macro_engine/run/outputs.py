"""Results as files: a row for each row of the stream, or for each step and member."""

from __future__ import annotations

import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.members import ALL, Member
from macro_engine.core.rows import Ints
from macro_engine.core.steps import Steps
from macro_engine.core.writing import destination

FORMATS = (".parquet", ".csv")
_ROWS_A_PART = 1 << 18
_TIME_FORMAT = "%Y-%m-%dT%H:%M:%S%.f"


class ResultFile(ABC):
    """A table that grows block by block and appears under its name only when it is whole.

    Parts are written to a folder beside the file, so that memory does not grow with the run.
    Where the name is a link, the file is what it leads to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = destination(path)
        self.rows: list[pl.DataFrame] = []
        self.parts: list[Path] = []
        try:
            self.folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=self.place.parent))
        except OSError as error:
            raise MacroError(f"{visible(path)} cannot be written: {error.strerror}") from None
        self.whole = self.folder / f"whole{path.suffix}"

    @abstractmethod
    def frame(self, results: Steps) -> pl.DataFrame:
        """The rows for a stretch of steps."""

    def write(self, results: Steps) -> None:
        self.rows.append(self.frame(results))
        if sum(map(len, self.rows)) >= _ROWS_A_PART:
            self._write_part()

    def complete(self) -> None:
        """Make one file of the parts, still in the folder beside its place."""
        if self.rows:
            self._write_part()
        parts = pl.scan_parquet(self.parts, glob=False)
        with _failing_in_words(self.path):
            if self.path.suffix == ".parquet":
                parts.sink_parquet(self.whole, row_group_size=_ROWS_A_PART)
            else:
                parts.sink_csv(self.whole, datetime_format=_TIME_FORMAT)

    def put_in_place(self) -> None:
        with _failing_in_words(self.path):
            self.whole.replace(self.place)

    def discard(self) -> None:
        """Leave nothing half-written behind."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write_part(self) -> None:
        part = self.folder / f"{len(self.parts):06}.parquet"
        with _failing_in_words(self.path):
            pl.concat(self.rows).write_parquet(part)
        self.parts.append(part)
        self.rows = []


@contextmanager
def _failing_in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise MacroError(f"{visible(path)} cannot be written: {visible(error)}") from None


class PredictionsFile(ResultFile):
    """What was predicted for every row, by everyone; and the probabilities of one strategy."""

    def __init__(self, path: Path, classes: Sequence[str], strategy: str) -> None:
        super().__init__(path)
        self.classes = classes
        self.names = pl.Series(classes, dtype=pl.String)
        self.strategy = strategy

    def frame(self, results: Steps) -> pl.DataFrame:
        first, n = results.first_row, results.rows
        steps = np.repeat(np.arange(results.steps), results.lengths) + results.first_step
        columns = {
            "row": pl.Series(np.arange(first, first + n)),
            "step": pl.Series(steps),
            "time": _times(results.times, n),
            "label": self._named(results.labels),
        }
        members = (f"t{k}" for k in range(len(results.names.members)))
        names = [*results.names.series, *members]
        for name, predictions in zip(names, results.predictions, strict=True):
            columns[name] = self._named(predictions)
        if results.probabilities is not None:
            lines = results.probabilities[results.names.place(self.strategy)]
            for c, name in enumerate(self.classes):
                columns[f"p_{name}"] = pl.Series(lines[:, c]).fill_nan(None)
        return pl.DataFrame(columns)

    def _named(self, indices: Ints) -> pl.Series:
        return self.names.gather(indices.astype(np.int64, copy=False))


class TraceFile(ResultFile):
    """What every member decided at every step."""

    def __init__(self, path: Path, members: Sequence[Member]) -> None:
        super().__init__(path)
        self.thresholds = np.array([member.threshold for member in members])
        histories = [member.history for member in members]
        is_text = ALL in histories  # which is no number
        self.histories = pl.Series(
            [None if h is None else str(h) if is_text else h for h in histories],
            dtype=pl.String if is_text else pl.Int64,
        )

    def frame(self, results: Steps) -> pl.DataFrame:
        k, steps = len(self.thresholds), results.steps
        times = results.first_times
        return pl.DataFrame(
            {
                "step": np.repeat(np.arange(steps) + results.first_step, k),
                "time": _times(None if times is None else np.repeat(times, k), steps * k),
                "rows": np.repeat(results.lengths, k).astype(np.int64),
                "history": self.histories.gather(np.tile(np.arange(k), steps)),
                "threshold": np.tile(self.thresholds, steps),
                "active": results.active.T.ravel().astype(np.int64),
                "subroutines": results.subroutines.T.ravel().astype(np.int64),
                "born": results.born.T.ravel(),
                "distance": pl.Series(results.distance.T.ravel()).fill_nan(None),
                "close": results.close.T.ravel().astype(np.int64),
            }
        )


def _times(times: Ints | None, count: int) -> pl.Series:
    if times is None:
        return pl.Series([None] * count, dtype=pl.Datetime("us"))
    return pl.Series(times).cast(pl.Datetime("us"))


def write_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write a small table, which appears when it is whole; its name says how."""
    place = destination(path)
    with (
        _failing_in_words(path),
        tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=place.parent) as folder,
    ):
        whole = Path(folder) / "whole"
        if path.suffix == ".parquet":
            frame.write_parquet(whole)
        else:
            frame.write_csv(whole, datetime_format=_TIME_FORMAT)
        whole.replace(place)


def check_output(path: Path, option: str, taken: Mapping[Path, str]) -> None:
    """Refuse a name that does not say how to write the file, or one that is in use."""
    if path.suffix not in FORMATS:
        raise UsageError(
            f"{option} {visible(path)}: the name must end in {' or '.join(FORMATS)}, which says "
            "how it is written"
        )
    try:
        place = destination(path)
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from None
    if place in taken:
        raise UsageError(f"{option}: {visible(path)} {taken[place]}; name another file")


def finish_all(files: Sequence[ResultFile]) -> None:
    """Put all files in their places, once each of them is whole."""
    for file in files:
        file.complete()
    for file in files:
        file.put_in_place()
