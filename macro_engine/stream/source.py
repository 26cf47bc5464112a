"""A recorded stream, from its files to blocks of whole steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.rows import Block
from macro_engine.core.state import State, child, whole
from macro_engine.stream.blocks import BlockMaker, Reader, packed
from macro_engine.stream.formats.csv import CsvFile
from macro_engine.stream.formats.npy import BreakfastVideo
from macro_engine.stream.formats.parquet import ParquetFile
from macro_engine.stream.spec import StreamSpec
from macro_engine.stream.table import Rejections

StreamFile = CsvFile | ParquetFile | BreakfastVideo


def open_file(path: Path, delimiter: str | None = None, decimal: str | None = None) -> StreamFile:
    """A recording; its first bytes and its name say what it is."""
    if path.exists() and not path.is_file():
        raise MacroError(f"{visible(path)} is not a regular file; a recording must be one")
    try:
        with path.open("rb") as file:
            magic = file.read(4)
        if not magic:
            raise MacroError(f"{visible(path)} is empty; a recording was expected")
        if magic == b"PAR1" or path.suffix.lower() in (".parquet", ".pq"):
            return ParquetFile(path)
        if magic == b"\x93NUM" or path.suffix.lower() == ".npy":
            return BreakfastVideo(path)
        return CsvFile(path, delimiter, decimal)
    except FileNotFoundError:
        raise MacroError(f"{visible(path)}: no such file") from None
    except OSError as error:
        raise MacroError(f"{visible(path)} cannot be opened: {visible(error)}") from None


class Recording(Reader):
    """The rows of one or more files, in order, as blocks of whole steps.

    Parameters
    ----------
    files
        A file boundary does not close a step.
    spec
        Which column is what, in every one of the files.
    rejections
        Where rows that cannot be used are reported.
    report
        Takes a line of text about the stream that the user should know of.
    """

    def __init__(
        self,
        files: Sequence[StreamFile],
        spec: StreamSpec,
        rejections: Rejections,
        report: Callable[[str], None] = lambda _text: None,
    ) -> None:
        for file in files:
            spec.check(file.names, file.path)
        self.files = files
        self.spec = spec
        self.rejections = rejections
        self.maker = BlockMaker(spec, rejections, report)
        self.file = 0  # which of the files is being read
        self.position: State | None = None  # in it
        self.mark = self._state()

    @property
    def done(self) -> float:
        """The share of the input that was read."""
        return sum(file.done for file in self.files) / len(self.files)

    def blocks(self) -> Iterator[Block]:
        """The steps, in blocks; `state` may be asked for whenever a block was given out."""
        while self.file < len(self.files):
            if self.position is None:
                self.encoder.time_reader = None  # times may be written otherwise in each file
            tables = self.files[self.file].tables(self.spec.columns, self.position)
            self.mark = self._state()
            for table in tables:
                yield from self.maker.take(table)
                self.position = table.end
                self.mark = self._state()
            self.file += 1
            self.position = None
        yield from self.maker.finish()
        if self.rows == 0:
            raise MacroError(self._nothing_usable())
        self.mark = self._state()

    def state(self) -> State:
        """Where to read on: the last position at which all rows before it had become blocks.

        Whoever goes on from there gets some of the blocks again.
        """
        return packed(self.mark)

    def _state(self) -> State:
        return {"file": self.file, "position": self.position} | self.maker.state()

    def restore(self, state: State) -> None:
        """Go on from a state; the recording must be new."""
        self.file = whole(state, "file", 0, len(self.files))
        self.position = None if state.get("position") is None else child(state, "position")
        self.maker.restore(state)
        for file in self.files[: self.file]:
            file.position = file.size
        self.mark = self._state()

    def _nothing_usable(self) -> str:
        names = ", ".join(visible(file.path) for file in self.files)
        if not self.rejections.count:
            return f"{names}: there are columns, but no rows"
        first = self.rejections.first[0]
        return f"{names}: none of {self.rejections.count} rows can be used; the first: {first}"
