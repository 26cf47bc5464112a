"""Result files: a record for each row of the stream, or for each step and member."""

from __future__ import annotations

import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.members import Member, names_of
from macro_engine.core.output_path import resolve_output
from macro_engine.core.steps import Steps
from macro_engine.run.dataframes import predictions_frame, trace_frame
from macro_engine.run.emit.emission import Emission
from macro_engine.run.store.runfile import RunReader

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
        self.place = resolve_output(path)
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
        """Joins the parts into one file, still in its temporary folder."""
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
    """The predictions for every row, and the probabilities of one strategy."""

    def __init__(self, path: Path, classes: Sequence[str], strategy: str) -> None:
        super().__init__(path)
        self.classes = classes
        self.strategy = strategy

    def frame(self, results: Steps) -> pl.DataFrame:
        return predictions_frame(results, self.classes, self.strategy)


class TraceFile(ResultFile):
    """The decision of every member at every step."""

    def __init__(self, path: Path, members: Sequence[Member]) -> None:
        super().__init__(path)
        self.members = members

    def frame(self, results: Steps) -> pl.DataFrame:
        return trace_frame(results, self.members)


class Outputs:
    """The result files of a run, opened when its classes are known and in place at its end.

    Parameters
    ----------
    predictions, trace
        Where they are written; None for nowhere.
    emission
        Takes predictions as they are made; None if not requested.
    """

    def __init__(
        self, predictions: Path | None, trace: Path | None, emission: Emission | None = None
    ) -> None:
        self.predictions = predictions
        self.trace = trace
        self.emission = emission
        self.files: list[ResultFile] = []

    @property
    def are_wanted(self) -> bool:
        return self.predictions is not None or self.trace is not None

    def open(self, classes: Sequence[str], members: Sequence[Member], strategy: str) -> None:
        """Begin; the probabilities beside the predictions are those of a strategy."""
        if self.predictions is not None:
            self.files.append(PredictionsFile(self.predictions, classes, strategy))
        if self.trace is not None:
            self.files.append(TraceFile(self.trace, members))
        if self.emission is not None:
            self.emission.open(classes, names_of(members), strategy)

    def write(self, results: Steps) -> None:
        for file in self.files:
            file.write(results)

    def write_recorded(self, run_file: Path, remark: Callable[[str], None]) -> None:
        """Write all that a run file holds."""
        if not self.files:
            return
        reader = RunReader(run_file)
        if reader.dropped:
            remark(f"{reader.dropped}: the files begin after them")
        for results in reader.all_results():
            self.write(results)
        reader.close()

    def finish(self) -> None:
        """Put the files in their places."""
        finish_all(self.files)

    def discard(self) -> None:
        """Leave nothing half-written behind."""
        for file in self.files:
            file.discard()


def write_frame(frame: pl.DataFrame, path: Path) -> None:
    """Write a small table, which appears when it is whole; its name says how."""
    place = resolve_output(path)
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


def finish_all(files: Sequence[ResultFile]) -> None:
    """Put all files in their places, once each of them is whole."""
    for file in files:
        file.complete()
    for file in files:
        file.put_in_place()
