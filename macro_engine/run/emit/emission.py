"""`--emit`: appends predictions as they are made to a file or to standard output.

A file holds each line once, even if the process is killed: its length is committed with the state
of the run, and what was written after it is cut off when the run is resumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from macro_engine.core.errors import MacroError
from macro_engine.core.late_labels import Outcomes
from macro_engine.core.state import DamagedError, State, whole
from macro_engine.run.emit.lines import CsvLines, JsonLines, LineFormat, PredictedRows
from macro_engine.run.emit.target import AppendedFile, EmitTarget, Say, StandardOutput

STANDARD_OUTPUT = "-"
FORMATS = {".jsonl": JsonLines, ".csv": CsvLines}


class Emission:
    """Hands predictions out as lines, each row once and in order.

    Parameters
    ----------
    to
        The name of a file, which says how it is written, or `-`.
    with_outcomes
        Whether the labels are written too, when they are known.
    say
        Takes a line of text about trouble.

    Attributes
    ----------
    rows
        How many rows were handed out.
    """

    def __init__(self, to: str, with_outcomes: bool, say: Say) -> None:
        self.to = to
        self.with_outcomes = with_outcomes
        self.target: EmitTarget = (
            StandardOutput(say) if to == STANDARD_OUTPUT else AppendedFile(Path(to), say)
        )
        self.lines: LineFormat | None = None
        self.rows = 0
        self.gathered: list[str] = []
        self.early: list[Outcomes] = []  # of rows that were not handed out yet

    @property
    def trouble(self) -> str | None:
        """Why what was handed out is not written yet."""
        return self.target.trouble

    def open(self, classes: Sequence[str], members: Sequence[str], strategy: str) -> None:
        """Begin; classes and members are known."""
        kind = FORMATS[Path(self.to).suffix] if self.to != STANDARD_OUTPUT else JsonLines
        self.lines = kind(classes, members, strategy, self.with_outcomes)
        self.target.begin(self.lines.header.encode())

    def add(self, found: PredictedRows) -> None:
        """Hand out those rows that were not yet."""
        assert self.lines is not None
        fresh = found.since(self.rows)
        if len(fresh):
            self.rows = fresh.first_row + len(fresh)
            self.gathered += self.lines.predictions(fresh)

        early, self.early = self.early, []
        for outcomes in early:
            self.add_outcomes(outcomes)

    def add_steps(self, found: PredictedRows | None, outcomes: Outcomes | None) -> None:
        """Hand out steps in succession, and after each the labels that are known by its end.

        However a run is cut into blocks, the lines stand in the same order.
        """
        if not self.with_outcomes:
            outcomes = None
        if found is None or outcomes is None or not len(outcomes):
            if found is not None:
                self.add(found)
            if outcomes is not None:
                self.add_outcomes(outcomes)
            return
        assert self.lines is not None
        fresh = found.since(self.rows)
        stop = found.first_row + len(found)
        self.rows = max(self.rows, stop)
        last_rows = found.first_row + found.ends_of_steps - 1
        keys = [2 * np.searchsorted(last_rows, np.arange(stop - len(fresh), stop))]
        lines = self.lines.predictions(fresh)
        early, self.early = self.early, []
        for known in (*early, outcomes):
            is_early = known.rows >= stop
            if is_early.any():
                self.early.append(known.where(np.flatnonzero(is_early)))
                known = known.where(np.flatnonzero(~is_early))
            after = np.searchsorted(last_rows, np.maximum(known.known, known.rows))
            keys.append(2 * np.minimum(after, len(last_rows) - 1) + 1)
            lines += self.lines.outcomes(known)
        order = np.argsort(np.concatenate(keys), kind="stable")
        self.gathered += [lines[i] for i in order.tolist()]

    def add_outcomes(self, found: Outcomes) -> None:
        """Hand out labels that are known, each after the prediction of its row."""
        if not self.with_outcomes or not len(found):
            return
        assert self.lines is not None
        is_early = found.rows >= self.rows
        if is_early.any():
            self.early.append(found.where(np.flatnonzero(is_early)))
            found = found.where(np.flatnonzero(~is_early))
        if len(found):
            self.gathered += self.lines.outcomes(found)

    def flush(self) -> None:
        """Writes everything collected so far."""
        if self.gathered or self.trouble:
            data = "".join(self.gathered).encode()
            self.gathered = []
            self.target.write(data)

    def state(self) -> State:
        self.flush()
        return {"rows": self.rows, **self.target.state()}

    def restore(self, state: State) -> None:
        try:
            self.rows = whole(state, "rows")
            self.target.restore(state)
        except DamagedError:
            raise MacroError(
                "--emit: the run was begun without it; name another run file"
            ) from None

    def close(self) -> None:
        self.flush()
        self.target.close()
