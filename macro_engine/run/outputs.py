"""Results as files: a row for each row of the stream, or for each step and threshold."""

from __future__ import annotations

import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import polars as pl

from macro_engine.algorithm.contest import Outcome
from macro_engine.errors import MacroError, UsageError
from macro_engine.rows import Block, Ints
from macro_engine.visible import visible

FORMATS = (".parquet", ".csv")
_ROWS_A_PART = 1 << 18
_TIME_FORMAT = "%Y-%m-%dT%H:%M:%S%.f"


class ResultFile(ABC):
    """A table that grows block by block and appears under its name only when it is whole.

    Parts are written to a folder beside the file, so that memory does not grow with the run.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[pl.DataFrame] = []
        self.parts: list[Path] = []
        try:
            self.folder = Path(tempfile.mkdtemp(prefix=f".{path.name}.", dir=path.parent))
        except OSError as error:
            raise MacroError(f"{visible(path)} cannot be written: {error.strerror}") from None
        self.whole = self.folder / f"whole{path.suffix}"

    @abstractmethod
    def frame(self, block: Block, outcome: Outcome) -> pl.DataFrame:
        """The rows for one block."""

    def write(self, block: Block, outcome: Outcome) -> None:
        self.rows.append(self.frame(block, outcome))
        if sum(map(len, self.rows)) >= _ROWS_A_PART:
            self._write_part()

    def complete(self) -> None:
        """Make one file of the parts, still in the folder beside its place."""
        if self.rows:
            self._write_part()
        parts = pl.scan_parquet(self.parts, glob=False)
        with self._failing_in_words():
            if self.path.suffix == ".parquet":
                parts.sink_parquet(self.whole)
            else:
                parts.sink_csv(self.whole, datetime_format=_TIME_FORMAT)

    def put_in_place(self) -> None:
        with self._failing_in_words():
            self.whole.replace(self.path)

    @contextmanager
    def _failing_in_words(self) -> Iterator[None]:
        try:
            yield
        except (OSError, pl.exceptions.PolarsError) as error:
            raise MacroError(f"{visible(self.path)} cannot be written: {visible(error)}") from None

    def discard(self) -> None:
        """Leave nothing half-written behind."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _write_part(self) -> None:
        part = self.folder / f"{len(self.parts):06}.parquet"
        with self._failing_in_words():
            pl.concat(self.rows).write_parquet(part)
        self.parts.append(part)
        self.rows = []


class PredictionsFile(ResultFile):
    """What was predicted for every row, by everyone."""

    def __init__(self, path: Path, classes: Sequence[str]) -> None:
        super().__init__(path)
        self.names = pl.Series(classes, dtype=pl.String)

    def frame(self, block: Block, outcome: Outcome) -> pl.DataFrame:
        first, n = block.first_row, len(block.rows)
        steps = np.repeat(np.arange(block.steps), np.diff(block.starts)) + block.first_step
        columns = {
            "row": pl.Series(np.arange(first, first + n)),
            "step": pl.Series(steps),
            "time": _times(block.times, n),
            "label": self._named(block.rows.labels),
            "marginal": self._named(outcome.family.marginal),
            "no_change": self._named(outcome.no_change),
            "ftl": self._named(outcome.ftl),
            "ewa": self._named(outcome.ewa),
        }
        for k, predictions in enumerate(outcome.family.predictions):
            columns[f"t{k}"] = self._named(predictions)
        return pl.DataFrame(columns)

    def _named(self, indices: Ints) -> pl.Series:
        return self.names.gather(indices)


class TraceFile(ResultFile):
    """What every threshold decided at every step."""

    def __init__(self, path: Path, thresholds: Sequence[float]) -> None:
        super().__init__(path)
        self.thresholds = np.array(thresholds)

    def frame(self, block: Block, outcome: Outcome) -> pl.DataFrame:
        family, k, steps = outcome.family, len(self.thresholds), block.steps
        firsts = None if block.times is None else np.repeat(block.times[block.starts[:-1]], k)
        return pl.DataFrame(
            {
                "step": np.repeat(np.arange(steps) + block.first_step, k),
                "time": _times(firsts, steps * k),
                "rows": np.repeat(np.diff(block.starts), k),
                "threshold": np.tile(self.thresholds, steps),
                "active": family.active.T.ravel(),
                "subroutines": family.subroutines.T.ravel(),
                "born": family.born.T.ravel(),
                "distance": pl.Series(family.distance.T.ravel()).fill_nan(None),
                "close": family.close.T.ravel(),
            }
        )


def _times(times: Ints | None, count: int) -> pl.Series:
    if times is None:
        return pl.Series([None] * count, dtype=pl.Datetime("us"))
    return pl.Series(times).cast(pl.Datetime("us"))


def check_output(path: Path, option: str, taken: Mapping[Path, str]) -> None:
    """Refuse a name that does not say how to write the file, or one that is in use."""
    if path.suffix not in FORMATS:
        raise UsageError(
            f"{option} {visible(path)}: the name must end in {' or '.join(FORMATS)}, which says "
            "how it is written"
        )
    if path.is_dir():
        raise UsageError(f"{option}: {visible(path)} is a folder; name a file")
    if path.resolve() in taken:
        raise UsageError(f"{option}: {visible(path)} {taken[path.resolve()]}; name another file")


def finish_all(files: Sequence[ResultFile]) -> None:
    """Put all files in their places, once each of them is whole."""
    for file in files:
        file.complete()
    for file in files:
        file.put_in_place()
