"""The results of a run as Polars frames, read from its run file."""

from __future__ import annotations

import os
import shutil
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import polars as pl

from macro_engine.core.errors import DroppedError, MacroError
from macro_engine.core.escape import visible
from macro_engine.core.format import count_text
from macro_engine.core.state import DamagedError, children
from macro_engine.core.steps import Steps
from macro_engine.run.dataframes import (
    TIME,
    events_frame,
    predictions_frame,
    rejected_frame,
    trace_frame,
)
from macro_engine.run.store.lock import writer_of
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.summary import Summary
from macro_engine.stream.table import Rejections

_FIRST_PREDICTIONS = {"row": pl.Int64, "step": pl.Int64, "time": TIME, "label": pl.String}
_TRACE = {
    "step": pl.Int64, "time": TIME, "rows": pl.Int64, "history": pl.Int64, "threshold": pl.Float64,
    "active": pl.Int64, "subroutines": pl.Int64, "born": pl.Boolean, "distance": pl.Float64,
    "close": pl.Int64,
}  # fmt: skip


class Errors(dict[str, float]):
    """The share of rows that each strategy and baseline got wrong, by its name.

    >>> Errors(marginal=0.25, ftl=0.125)
    marginal  25.00 %
    ftl       12.50 %
    """

    def __repr__(self) -> str:
        width = max(map(len, self), default=0)
        lines = (f"{name:{width}}  {100 * error:5.2f} %" for name, error in self.items())
        return "\n".join(lines) or "no step is closed yet"


class RunResult:
    """The results of a run so far, as returned by `replay` and `open_run`.

    Every attribute reads the run file: while another process writes the run, a later read may
    return more. The file stays open until `close`, or until the end of a `with` block.

    Attributes
    ----------
    path
        The run file; None for a temporary one, which is deleted with the result.
    remarks
        Remarks about the stream and the run, for the user.
    """

    def __init__(
        self, reader: RunReader, folder: Path | None = None, remarks: Sequence[str] = ()
    ) -> None:
        self.path = None if folder else reader.path
        self.remarks = tuple(remarks)
        self._reader = reader
        self._frames: dict[str, tuple[tuple[int, int], pl.DataFrame]] = {}
        self._release = weakref.finalize(self, _release, reader, folder)

    @property
    def errors(self) -> Errors:
        """The share of rows that each series got wrong; empty before the first step is closed."""
        summary = self._summary()
        return Errors() if summary is None else Errors(summary.errors)

    @property
    def summary(self) -> dict[str, Any]:
        """The summary, as `--json` writes it; empty before the first step is closed."""
        summary = self._summary()
        return {} if summary is None else summary.document

    @property
    def predictions(self) -> pl.DataFrame:
        """A row for each row of the stream, with the columns of `--predictions`."""
        reader = self._refreshed()
        series = (*reader.names.series, *(f"t{k}" for k in range(len(reader.names.members))))
        return self._joined(
            "predictions",
            lambda part: predictions_frame(part, reader.classes, reader.strategy),
            _FIRST_PREDICTIONS | dict.fromkeys(series, pl.String),
        )

    @property
    def trace(self) -> pl.DataFrame:
        """A row for each step and member of the grid, with the columns of `--trace`."""
        reader = self._refreshed()
        return self._joined("trace", lambda part: trace_frame(part, reader.names.members), _TRACE)

    @property
    def events(self) -> pl.DataFrame:
        """The events, in order: `step`, `time`, `kind` and `text`."""
        return events_frame([event for _, event in self._refreshed().events()])

    @property
    def rejected(self) -> pl.DataFrame:
        """The first 100,000 rejected rows, with the reasons."""
        return rejected_frame(list(self._refreshed().rejected()))

    @property
    def status(self) -> str:
        """`finished`, `stopped`, `failed`, `running`, or `gone` if its writer died."""
        status = visible(self._refreshed().info.get("status", "starting"), 20)
        return "gone" if status == "running" and writer_of(self._reader.path) is None else status

    def close(self) -> None:
        """Closes the run file. Frames that were read before stay valid."""
        self._release()

    def __enter__(self) -> RunResult:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if not self._release.alive:
            return "<a run, closed>"
        summary, status = self._summary(), self.status
        if summary is None:
            return f"<a run, {status}: no step is closed yet>"
        names = ", ".join(visible(name, 40) for name in summary.inputs)
        counts = f"{count_text(summary.rows, 'row')} in {count_text(summary.steps, 'step')}"
        errors = ", ".join(f"{name} {error:.2%}" for name, error in summary.errors.items())
        return f"<a run of {names}, {status}: {counts}; wrong: {errors}>"

    def _refreshed(self) -> RunReader:
        if not self._release.alive:
            raise ValueError("this result is closed; read what you need before you close it")
        self._reader.refresh()
        return self._reader

    def _summary(self) -> Summary | None:
        info = self._refreshed().info
        if not isinstance(document := info.get("summary"), dict):
            return None
        try:
            inputs = [str(file.get("name")) for file in children(info, "input")]
            return Summary.read(document, inputs, Rejections())
        except DamagedError as error:
            raise MacroError(f"{visible(self._reader.path)} is damaged: {error}") from None

    def _joined(
        self, name: str, frame: Callable[[Steps], pl.DataFrame], nothing: dict[str, Any]
    ) -> pl.DataFrame:
        """All records as one frame; rebuilt only if the file has more than before."""
        held = self._reader.first_step, self._reader.steps
        known, made = self._frames.get(name, (None, None))
        if made is None or known != held:
            parts = self._frames_of_records(frame)
            made = pl.concat(parts) if parts else pl.DataFrame(schema=nothing)
            self._frames[name] = held, made
        return made

    def _frames_of_records(self, frame: Callable[[Steps], pl.DataFrame]) -> list[pl.DataFrame]:
        """One for each record; made anew where the first of them are dropped in the meantime."""
        while True:
            first = self._reader.first_step
            try:
                return [frame(part) for part in self._reader.all_results()]
            except DroppedError:
                if self._reader.first_step <= first:
                    raise


def open_run(path: str | os.PathLike[str]) -> RunResult:
    """Opens a run file, finished or still being written.

    Parameters
    ----------
    path
        What `macro-tui ... --run` or `replay(..., run=...)` wrote.

    Raises
    ------
    MacroError
        If the file is none, cannot be read or is damaged; the message says which.

    Examples
    --------

    >>> import tempfile, polars
    >>> from pathlib import Path
    >>> from macro_engine import open_run, replay

    >>> flights = polars.DataFrame({"delay": [3, 20, 1, 40] * 50, "late": ["no", "yes"] * 100})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     replay(flights, label="late", thresholds=0.1, run=Path(folder) / "flights.run").close()
    ...     with open_run(Path(folder) / "flights.run") as run:
    ...         print(run.status, len(run.predictions), run.trace["threshold"].n_unique())
    finished 200 1
    """
    return RunResult(RunReader(Path(path)))


def _release(reader: RunReader, folder: Path | None) -> None:
    reader.close()
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
