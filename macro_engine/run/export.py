"""What a run file holds, as tables that other programs read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.run.outputs import FORMATS, PredictionsFile, TraceFile, finish_all, write_frame
from macro_engine.run.runfile import RunReader


@dataclass(frozen=True)
class Exported:
    """The files that were written, what is missing in them, and what `--keep` dropped before."""

    files: list[Path]
    damage: list[str]
    dropped: str


def export(run_file: Path, folder: Path, suffix: str) -> Exported:
    """Write predictions, trace, events and rejected rows, as far as they are whole.

    The first two are what `--predictions` and `--trace` write.
    """
    assert suffix in FORMATS
    reader = RunReader(run_file, is_tolerant=True)
    try:
        if not reader.steps and not reader.damage:
            raise MacroError(f"{visible(run_file)} holds no steps yet; there is nothing to export")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MacroError(f"{visible(folder)} cannot be made: {error.strerror}") from None
        files = [*_results(reader, folder, suffix), *_rest(reader, folder, suffix)]
        return Exported(files, reader.damage, reader.dropped)
    finally:
        reader.close()


def _results(reader: RunReader, folder: Path, suffix: str) -> list[Path]:
    files = [
        PredictionsFile(folder / f"predictions{suffix}", reader.classes, reader.strategy),
        TraceFile(folder / f"trace{suffix}", reader.names.members),
    ]
    has_steps = False
    try:
        for results in reader.whole_results():
            has_steps = True
            for file in files:
                file.write(results)
        if not has_steps:
            return []
        finish_all(files)
    finally:
        for file in files:
            file.discard()
    return [file.path for file in files]


def _rest(reader: RunReader, folder: Path, suffix: str) -> list[Path]:
    events = [event for _, event in reader.events()]
    rejected = list(reader.rejected())
    frames = {
        folder / f"events{suffix}": pl.DataFrame(
            {
                "step": [event.step for event in events],
                "time": pl.Series([e.time for e in events], dtype=pl.Int64).cast(pl.Datetime("us")),
                "kind": [event.kind for event in events],
                "text": [event.text for event in events],
            },
            schema_overrides={"step": pl.Int64, "kind": pl.String, "text": pl.String},
        ),
        folder / "rejected.csv": pl.DataFrame(
            {
                "file": [r.file for r in rejected],
                "line": [r.line for r in rejected],
                "column": [r.column for r in rejected],
                "reason": [r.problem.kind for r in rejected],
                "text": [r.problem.value for r in rejected],
            },
            schema_overrides={"line": pl.Int64}
            | dict.fromkeys(("file", "column", "reason", "text"), pl.String),
        ),
    }
    for path, frame in frames.items():
        write_frame(frame, path)
    return list(frames)
