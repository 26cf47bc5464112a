"""Opens a stream: from its name and options to a source with complete settings."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from time import sleep
from typing import Any

from macro_engine.core import plugins
from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.options.settings import INFERRED, Layer, Settings
from macro_engine.stream.formats.text_file import PACKINGS
from macro_engine.stream.infer import COLUMN_OPTIONS, Guesses, infer
from macro_engine.stream.label_file import LabelFile, read_whole
from macro_engine.stream.reader import Reader
from macro_engine.stream.recording import RecordingOrigin, StreamFile
from macro_engine.stream.source import Beginning, Origin, Say, Source, Wait
from macro_engine.stream.spec import StreamSpec
from macro_engine.stream.table import Rejections

COMMAND_LINE = "command line"
DESCRIBED = "its description"
_GUESSED = (*COLUMN_OPTIONS, "time_format", "clock", "bounds", "delimiter", "decimal", "encoding")
_LOOK_SECONDS = 0.1  # between two looks for a stream that is not there yet


@dataclass(frozen=True)
class Opened:
    """A stream, the settings in force, and remarks that the user should read.

    `names` are its columns. `close_after` is in seconds; None for never. `headline` says which
    label was guessed, and why.
    """

    origin: Origin
    names: list[str]
    settings: Settings
    spec: StreamSpec
    remarks: list[str]
    close_after: float | None = None
    headline: str = ""

    @property
    def files(self) -> Sequence[StreamFile]:
        """Those of a recording."""
        return self.origin.files

    @property
    def input_names(self) -> list[str]:
        """What is read."""
        return self.origin.names

    def reader(
        self,
        rejections: Rejections,
        report: Say = lambda _text: None,
        say: Say = lambda _text: None,
    ) -> Reader:
        """Makes blocks of the stream's rows; `Reader` says what the arguments take."""
        with _failing_in_words(self.origin):
            source = self.origin.connect(self.names, self.spec, self.settings, say)
            plugins.expect(
                source, Source, f"the source {visible(self.origin.path)}: its connection"
            )
        late, labels = self.spec.late_labels, None
        has_file = late is not None and late.file is not None
        if has_file and not source.ends:
            labels = LabelFile(self.spec, self.settings, rejections, say)
        made = Reader(source, self.spec, rejections, report, say, self.close_after, labels=labels)
        if has_file and source.ends and made.encoder.late_rows is not None:
            read_whole(made.encoder.late_rows, self.settings, rejections)
        return made

    def settled(self, reader: Reader) -> dict[str, Any]:
        """Every setting, with the classes and thresholds that the first rows gave."""
        found: dict[str, Any] = {"classes": list(reader.encoder.classes or ())}
        if reader.thresholds is not None:
            found["thresholds"] = list(reader.thresholds)
        return self.settings.written() | found


@dataclass(frozen=True)
class PartlyOpened:
    """A stream whose first rows were looked at; there may be questions left."""

    origin: Origin
    names: list[str]
    settings: Settings
    remarks: list[str]
    guesses: Guesses

    def complete(self, close_after: float | str | None = None) -> Opened:
        """Settle every option; a question that is left is an error."""
        if self.guesses.questions:
            raise UsageError(self.guesses.questions[0])
        self.settings.complete(self.names)
        spec = self.settings.spec(self.names)
        return Opened(
            self.origin,
            self.names,
            self.settings,
            spec,
            [*self.remarks, *self.settings.remarks],
            _silence(spec, close_after),
            self.guesses.headline,
        )


@dataclass(frozen=True)
class StoredStream:
    """The stored settings of a resumed run: guesses, and the columns in their order.

    `names` is None where the source does not remember them.
    """

    settings: dict[str, Any]
    names: list[str] | None


def open_stream(
    stream: Origin | Sequence[Path],
    stronger: Sequence[Layer] = (),
    config: Path | None = None,
    *,
    wait: Wait = lambda _why: sleep(_LOOK_SECONDS),
    stored: StoredStream | None = None,
    close_after: float | str | None = None,
) -> Opened:
    """Open a stream and settle every option.

    In order of strength: the layers given, a TOML (`config`, or the one beside the first file),
    the description inside the first file, and inference from the first rows.

    Parameters
    ----------
    stream
        Where it comes from; paths are those of a recording.
    wait
        Called with the reason while there is too little of the stream to begin with: it should
        take a moment, and may raise.
    stored
        Of a run that is resumed; nothing is inferred again.
    close_after
        Seconds of silence that close a step of a live stream, or `never`; None for the length of
        the window.
    """
    partly = begin_stream(stream, stronger, config, wait=wait, stored=stored)
    return partly.complete(close_after)


def begin_stream(
    stream: Origin | Sequence[Path],
    stronger: Sequence[Layer] = (),
    config: Path | None = None,
    *,
    wait: Wait = lambda _why: sleep(_LOOK_SECONDS),
    stored: StoredStream | None = None,
) -> PartlyOpened:
    """Look at the beginning of a stream and infer what no option says; see `open_stream`."""
    origin = stream if isinstance(stream, Origin) else RecordingOrigin(stream)
    if stored is None:
        with _failing_in_words(origin):
            origin.await_it(wait)
    layers = [*stronger]
    if config is None:
        config = next((p for p in map(toml_beside, origin.paths[:1]) if p.is_file()), None)
    if config is not None:
        layers.append(Layer.from_toml(config))
    settings = Settings.merge(layers)
    remarks = list(plugins.load())
    if stored is not None:
        kept = {name: stored.settings[name] for name in _GUESSED if name in stored.settings}
        settings.add(Layer.read("the run file", kept))
    if stored is not None and stored.names is not None:
        return PartlyOpened(origin, stored.names, settings, remarks, Guesses())
    with _failing_in_words(origin):
        beginning = origin.begin(settings, wait)
        plugins.expect(beginning, Beginning, f"the source {visible(origin.path)}: its beginning")
    if beginning.description is not None:
        described = Layer.read(DESCRIBED, beginning.description, origin.path)
        layers.append(replace(described, is_whole=True))
        settings = Settings.merge(layers)
    with _failing_in_words(origin):
        guesses = _inferred(beginning, settings)
    if beginning.problem is not None:
        guesses.questions.insert(0, beginning.problem)
        guesses.proposals = beginning.proposals | guesses.proposals
    remarks += [*beginning.notes, *guesses.remarks]
    return PartlyOpened(origin, beginning.names, settings, remarks, guesses)


def _inferred(beginning: Beginning, settings: Settings) -> Guesses:
    """Infer what no option says."""
    guesses = Guesses()
    if not set(COLUMN_OPTIONS) <= settings.values.keys() or _has_unknown_times(settings):
        guesses = infer(beginning.sample(), settings.values)
        if settings.is_described:
            guesses.settings.pop("clock", None)
            guesses.settings.pop("bounds", None)
        settings.add(Layer(INFERRED, guesses.settings))
    settings.add(Layer(INFERRED, beginning.read_as))
    return guesses


def _has_unknown_times(settings: Settings) -> bool:
    """Whether a time column was named, by the user, and how it is written was not."""
    by_user = settings.origins["time"] != DESCRIBED
    return settings["time"] is not None and by_user and settings.get("time_format") is None


def _failing_in_words(origin: Origin) -> AbstractContextManager[None]:
    return plugins.failing_in_words(origin, f"the source {visible(origin.path)}")


def _silence(spec: StreamSpec, asked: float | str | None) -> float | None:
    """Seconds without rows that close a step."""
    window = None if spec.every.microseconds is None else spec.every.microseconds / 1e6
    silence = window if asked is None else asked
    return silence if isinstance(silence, float) else None


def toml_beside(path: Path) -> Path:
    """`flights.toml` for `flights.csv`, `flights.csv.gz` or `flights.parquet`.

    >>> toml_beside(Path("data/flights.csv.gz")).as_posix()
    'data/flights.toml'
    """
    if path.suffix.lower() in PACKINGS:
        path = path.with_suffix("")
    return path.with_suffix(".toml")
