"""Exports the contents of a run file as tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.run.dataframes import events_frame, rejected_frame
from macro_engine.run.outputs import FORMATS, PredictionsFile, TraceFile, finish_all, write_frame
from macro_engine.run.store.runfile import RunReader


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
    frames = {
        folder / f"events{suffix}": events_frame([event for _, event in reader.events()]),
        folder / "rejected.csv": rejected_frame(list(reader.rejected())),
    }
    for path, frame in frames.items():
        write_frame(frame, path)
    return list(frames)
