"""From a growing file or a pipe, and options, to a live stream that is ready to run."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.options.settings import Layer, Settings
from macro_engine.stream.encode import SAMPLE
from macro_engine.stream.formats.csv import PIECE, table_of
from macro_engine.stream.formats.csv_parser import BOM, CsvParser
from macro_engine.stream.formats.dialect import Dialect, check_encoding, header_of, sniff
from macro_engine.stream.infer import infer
from macro_engine.stream.live.feed import Feed, Source
from macro_engine.stream.live.live_text import LONGEST_LINE, Layout
from macro_engine.stream.live.rotation import Found
from macro_engine.stream.live.standard_input import NAME, Pipe, StandardInput
from macro_engine.stream.live.tail import Follower
from macro_engine.stream.opening import INFERRED, Opened, toml_beside
from macro_engine.stream.table import Rejections

COLUMN_OPTIONS = ("time", "label", "features", "categorical")
GUESSED = (*COLUMN_OPTIONS, "delimiter", "decimal")
_NULS = re.compile(rb"(?<![^\n])\0+")  # at the start of a line, where reading skips them
_OTHERS = {b"PAR1": "Parquet", b"\x1f\x8b": "compressed", b"BZh": "compressed"}

Say = Callable[[str], None]


@dataclass(frozen=True)
class OpenedLive(Opened):
    """A live stream, the settings in force, and remarks that the user should read.

    `close_after` is in seconds; None for never.
    """

    name: str
    connect: Callable[[Say], Source]
    close_after: float | None

    @property
    def input_names(self) -> list[str]:
        """What is read."""
        return [self.name]

    def feed(self, rejections: Rejections, report: Say, say: Say) -> Feed:
        return Feed(self.connect(say), self.spec, rejections, report, say, self.close_after)


@dataclass(frozen=True)
class StoredStream:
    """What a run that goes on knows already: what was guessed, and the columns in their order."""

    settings: dict[str, Any]
    names: list[str]


@dataclass(frozen=True)
class Live:
    """Where a live stream comes from, and how it is read.

    Attributes
    ----------
    source
        A growing file, or a pipe.
    from_now
        Leave out what is in the file already.
    close_after
        Seconds of silence that close a step, or `never`; None for the length of the window.
    """

    source: Path | Pipe
    from_now: bool = False
    close_after: float | str | None = None

    @property
    def path(self) -> Path:
        """What messages about it name."""
        return self.source if isinstance(self.source, Path) else Path(NAME)


def open_live(
    live: Live,
    wait: Callable[[str], None],
    stronger: Sequence[Layer] = (),
    config: Path | None = None,
    stored: StoredStream | None = None,
) -> OpenedLive:
    """Settle every option, as `open_stream` does for recordings.

    Where there is no header yet, or too few rows to guess from, `wait` is called with the reason:
    it should take a moment, and may raise.
    """
    after = Found.at(live.source) if live.from_now and isinstance(live.source, Path) else None
    while stored is None and isinstance(live.source, Path) and not live.source.exists():
        wait("there is no such file yet: waiting for it")
    layers = [*stronger]
    if config is not None:
        layers.append(Layer.from_toml(config))
    elif isinstance(live.source, Path) and toml_beside(live.source).is_file():
        layers.append(Layer.from_toml(toml_beside(live.source)))
    settings = Settings.merge(layers)
    remarks: list[str] = []
    if stored is not None:
        kept = {name: stored.settings[name] for name in GUESSED if name in stored.settings}
        settings.add(Layer.read("the run file", kept))
        names = stored.names
    else:
        names, remarks = _Beginning(live, settings, wait).settle()
    settings.complete(names)
    spec = settings.spec(names)
    spec.check(names, live.path)
    layout = Layout(Dialect(settings["delimiter"], settings["decimal"]), names, spec.columns)
    window = None if spec.every.microseconds is None else spec.every.microseconds / 1e6
    silence = window if live.close_after is None else live.close_after

    def connect(say: Say) -> Source:
        if isinstance(live.source, Path):
            return Follower(live.source, layout, say, after)
        return StandardInput(live.source, layout, say)

    return OpenedLive(
        files=[],
        settings=settings,
        spec=spec,
        remarks=remarks,
        name=live.path.name,
        connect=connect,
        close_after=silence if isinstance(silence, float) else None,
    )


class _Beginning:
    """The first lines of a live stream, from which its columns and all guesses come."""

    def __init__(self, live: Live, settings: Settings, wait: Callable[[str], None]) -> None:
        self.live = live
        self.settings = settings
        self.wait = wait

    def settle(self) -> tuple[list[str], list[str]]:
        """Wait for what is needed and guess what was not given; names of columns, and remarks."""
        path, settings = self.live.path, self.settings
        while True:
            data, trouble, has_ended = self._look()
            for magic, what in _OTHERS.items():
                if data.startswith(magic):
                    raise MacroError(
                        f"{visible(path)} is {what}; tail reads plain CSV, replay reads this"
                    )
            data = _NULS.sub(b"", data.removeprefix(BOM)).lstrip(b"\r\n")
            may_grow = not has_ended and len(data) < LONGEST_LINE
            if b"\n" not in data and may_grow:
                self.wait(trouble or "waiting for a header line")
                continue
            if not data.strip():
                raise MacroError(f"{visible(path)} is empty; a header line was expected")
            check_encoding(data, path)
            head = data.split(b"\n")
            sniffed = sniff(head, settings.get("delimiter"))
            if may_grow and not CsvParser(sniffed.delimiter).feed(data):
                self.wait("waiting for the rest of the header, which opens a quote")
                continue
            names = header_of(head, sniffed.delimiter, path)
            rows = len(head) - 2  # without the header, and what follows the last newline
            if not self._must_guess(sniffed) or rows >= SAMPLE or has_ended:
                break
            self.wait(
                f"waiting for rows that tell which column is what, {rows}/{SAMPLE}; --time, "
                "--label, --features and --categorical would say it at once"
            )
        remarks: list[str] = []
        if self._must_guess_columns():
            table = table_of(_rows(head, sniffed), names, names, sniffed, path.name, {})
            guesses, remarks = infer(table, settings.values)
            settings.add(Layer(INFERRED, guesses))
        dialect = {"delimiter": sniffed.delimiter, "decimal": sniffed.decimal}
        settings.add(Layer(INFERRED, dialect))
        return names, remarks

    def _must_guess_columns(self) -> bool:
        return not set(COLUMN_OPTIONS) <= self.settings.values.keys()

    def _must_guess(self, sniffed: Dialect) -> bool:
        """Whether rows are needed to know how to read them."""
        no_decimal = self.settings.get("decimal") is None and sniffed.delimiter != ","
        return self._must_guess_columns() or no_decimal

    def _look(self) -> tuple[bytes, str | None, bool]:
        """The first lines as far as they are there, why there are none, whether no more come."""
        source = self.live.source
        if isinstance(source, Pipe):
            try:
                source.fill()
            except OSError as error:
                raise MacroError(f"{NAME} cannot be read: {visible(error.strerror)}") from None
            return source.waiting, None, source.has_ended
        try:
            with source.open("rb") as file:
                data = file.read(PIECE)
                while data.count(b"\n") <= SAMPLE and (more := file.read(PIECE)):
                    data += more
                    if len(data) > LONGEST_LINE:
                        break
        except OSError as error:
            return b"", f"it cannot be read yet ({visible(error.strerror)}): waiting", False
        return data, None, False


def _rows(head: list[bytes], dialect: Dialect) -> list[Any]:
    """The records after the header, as many as guesses are made from."""
    parser = CsvParser(dialect.delimiter)
    records = parser.feed(b"\n".join(head)) + parser.finish()
    return records[1 : SAMPLE + 1]
