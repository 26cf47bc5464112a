"""Results as Polars frames, with the columns of the result files."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from macro_engine.core.members import ALL, Member
from macro_engine.core.rows import Bools, Ints
from macro_engine.core.steps import Steps
from macro_engine.run.events import Event
from macro_engine.stream.table import Rejection

TIME = pl.Datetime("us")


def predictions_frame(results: Steps, classes: Sequence[str], strategy: str) -> pl.DataFrame:
    """The predictions for every row, and the probabilities of one strategy."""
    first, n = results.first_row, results.rows
    steps = np.repeat(np.arange(results.steps), results.lengths) + results.first_step
    members = (f"t{k}" for k in range(len(results.names.members)))
    said = np.concatenate([results.labels[None], results.predictions]).astype(np.int64)
    named = pl.Series(classes, dtype=pl.String).gather(said.ravel())  # a call costs most
    columns = {
        "row": pl.Series(np.arange(first, first + n)),
        "step": pl.Series(steps),
        "time": _times(results.times, n),
    }
    for i, name in enumerate(["label", *results.names.series, *members]):
        columns[name] = named.slice(i * n, n)
    columns["label"] = _known(columns["label"], results.known)
    if results.probabilities is not None:
        lines = results.probabilities[results.names.index(strategy)]
        for c, name in enumerate(classes):
            columns[f"p_{name}"] = pl.Series(lines[:, c]).fill_nan(None)
    return pl.DataFrame(columns)


def _known(labels: pl.Series, known: Bools | None) -> pl.Series:
    """The labels, without those that never came."""
    if known is None:
        return labels
    nothing = pl.Series([None], dtype=pl.String)
    return labels.zip_with(pl.Series(known), nothing.gather(np.zeros(len(labels), np.int64)))


def trace_frame(results: Steps, members: Sequence[Member]) -> pl.DataFrame:
    """The decision of every member at every step."""
    k, steps = len(members), results.steps
    times = results.first_times
    return pl.DataFrame(
        {
            "step": np.repeat(np.arange(steps) + results.first_step, k),
            "time": _times(None if times is None else np.repeat(times, k), steps * k),
            "rows": np.repeat(results.lengths, k).astype(np.int64),
            "history": _histories(members).gather(np.tile(np.arange(k), steps)),
            "threshold": np.tile([member.threshold for member in members], steps),
            "active": results.active.T.ravel().astype(np.int64),
            "subroutines": results.subroutines.T.ravel().astype(np.int64),
            "born": results.born.T.ravel(),
            "distance": pl.Series(results.distance.T.ravel()).fill_nan(None),
            "close": results.close.T.ravel().astype(np.int64),
        }
    )


def events_frame(events: Sequence[Event]) -> pl.DataFrame:
    """Returns the events as a frame, in order."""
    return pl.DataFrame(
        {
            "step": [event.step for event in events],
            "time": pl.Series([e.time for e in events], dtype=pl.Int64).cast(TIME),
            "kind": [event.kind for event in events],
            "text": [event.text for event in events],
        },
        schema_overrides={"step": pl.Int64, "kind": pl.String, "text": pl.String},
    )


def rejected_frame(rejected: Sequence[Rejection]) -> pl.DataFrame:
    """The rows that are not part of the stream, and why."""
    return pl.DataFrame(
        {
            "file": [r.file for r in rejected],
            "line": [r.line for r in rejected],
            "column": [r.column for r in rejected],
            "reason": [r.problem.kind for r in rejected],
            "text": [r.problem.value for r in rejected],
        },
        schema_overrides={"line": pl.Int64}
        | dict.fromkeys(("file", "column", "reason", "text"), pl.String),
    )


def _histories(members: Sequence[Member]) -> pl.Series:
    histories = [member.history for member in members]
    is_text = ALL in histories  # which is no number
    return pl.Series(
        [None if h is None else str(h) if is_text else h for h in histories],
        dtype=pl.String if is_text else pl.Int64,
    )


def _times(times: Ints | None, count: int) -> pl.Series:
    if times is None:
        return pl.Series([None] * count, dtype=TIME)
    return pl.Series(times).cast(TIME)
