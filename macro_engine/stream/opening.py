"""From file names and options to a stream that is ready to run, with nothing left unsaid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from macro_engine.core.escape import visible
from macro_engine.options.settings import Layer, Settings
from macro_engine.strategies import PAPER
from macro_engine.stream.encode import SAMPLE, Encoder
from macro_engine.stream.infer import infer
from macro_engine.stream.source import StreamFile, open_file
from macro_engine.stream.spec import StreamSpec

INFERRED = "inferred"
COMMAND_LINE = "command line"


@dataclass(frozen=True)
class Opened:
    """Files, the settings in force, and remarks that the user should read."""

    files: list[StreamFile]
    settings: Settings
    spec: StreamSpec
    remarks: list[str]

    @property
    def input_names(self) -> list[str]:
        """What is read."""
        return [file.path.name for file in self.files]

    def settled(self, encoder: Encoder) -> dict[str, Any]:
        """Every setting, with the classes that the first rows gave."""
        values = {name: value for name, value in self.settings.values.items() if value is not None}
        values["classes"] = list(encoder.classes or ())
        return values


def open_stream(
    paths: Sequence[Path], stronger: Sequence[Layer] = (), config: Path | None = None
) -> Opened:
    """Open the files and settle every option.

    In order of strength: the layers given, a TOML (`config`, or the one beside the first file),
    the description inside the first file, and inference from its first rows.
    """
    layers = [*stronger]
    beside = toml_beside(paths[0])
    if config is not None:
        layers.append(Layer.from_toml(config))
    elif beside.is_file():
        layers.append(Layer.from_toml(beside))
    written = Settings.merge(layers)
    files = [open_file(path, written.get("delimiter"), written.get("decimal")) for path in paths]
    first = files[0]
    if first.description is not None:
        described = {"strategies": list(PAPER)} | first.description
        layers.append(Layer.read("its description", described, first.path))
    settings = Settings.merge(layers)
    remarks = [f"{visible(file.path.name)}: {note}" for file in files for note in file.notes]
    if not {"time", "label", "features", "categorical"} <= settings.values.keys():
        guesses, left_out = infer(first.sample(SAMPLE), settings.values)
        settings.add(Layer(INFERRED, guesses))
        remarks += left_out
    settings.complete(first.names)
    return Opened(files, settings, settings.spec(first.names), remarks)


def toml_beside(path: Path) -> Path:
    """`flights.toml` for `flights.csv`, `flights.csv.gz` or `flights.parquet`.

    >>> toml_beside(Path("data/flights.csv.gz")).as_posix()
    'data/flights.toml'
    """
    if path.suffix.lower() in (".gz", ".bz2"):
        path = path.with_suffix("")
    return path.with_suffix(".toml")
