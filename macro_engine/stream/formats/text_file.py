"""A text file, plain or compressed, in any encoding, read as UTF-8 bytes."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol

import polars as pl

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.stream.formats.csv_parser import BOM

CHUNK = 1 << 22
PIECE = 1 << 18
PACKINGS = (".gz", ".bz2", ".xz", ".zst")
_ZSTD = b"\x28\xb5\x2f\xfd"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_UNREADABLE = (EOFError, OSError, zlib.error, lzma.LZMAError, UnicodeError)


class Bytes(Protocol):
    """A readable sequence of bytes."""

    def read(self, size: int, /) -> bytes: ...
    def seek(self, place: int, /) -> int: ...
    def tell(self) -> int: ...


class TextFile:
    """Lines of text.

    Parameters
    ----------
    path
        Its first bytes tell whether it is compressed.
    encoding
        None for UTF-8, or UTF-16 where the first bytes say so.
    """

    unit = "line"

    def __init__(self, path: Path, encoding: str | None = None) -> None:
        self.path = path
        self.size = path.stat().st_size
        self.position = 0
        is_plain = encoding is None or codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
        self.encoding = None if is_plain else encoding
        self.preamble = 0  # bytes after the BOM that stand before the header
        self.skipped = self.skipped_lines = 0  # bytes and lines of both

    @property
    def done(self) -> float:
        """The share of the file that was read."""
        return self.position / self.size if self.size else 1.0

    def first_lines(self, file: Bytes, count: int) -> bytes:
        """A header, so many lines and more, if there are."""
        data = self.read(file, PIECE)
        while data.count(b"\n") <= count and (more := self.read(file, PIECE)):
            data += more
        return data

    @contextmanager
    def open(self) -> Iterator[Bytes]:
        self.first_read = True
        with ExitStack() as stack:
            self.file = file = stack.enter_context(self.path.open("rb"))
            content = _unpacked(file, stack, self.path)
            encoding = self.encoding
            if encoding is None:
                start = content.read(2)
                content.seek(0)
                encoding = "utf-16" if start in _UTF_16 else None
            yield content if encoding is None else Recoded(content, encoding)

    def skip_to(self, file: Bytes, place: int) -> None:
        """Seeks to a byte of the text; a compressed file is read up to there."""
        self.first_read = False
        try:
            file.seek(place)
        except _UNREADABLE as error:
            raise MacroError(
                f"{visible(self.path)} cannot be read up to byte {place}: {visible(error)}; is the "
                "file cut off or damaged?"
            ) from None

    def read(self, file: Bytes, size: int) -> bytes:
        """The bytes up to the next multiple of a size; at first without what is skipped."""
        try:
            data = file.read(size - file.tell() % size)
        except _UNREADABLE as error:
            raise MacroError(
                f"{visible(self.path)} cannot be read to its end: {visible(error)}; is the file "
                "cut off or damaged?"
            ) from None
        self.position = self.file.tell()
        if self.first_read:
            self.first_read = False
            bom = len(BOM) if data.startswith(BOM) else 0
            self.skipped = bom + self.preamble
            self.skipped_lines = data[: self.skipped].count(b"\n")
            data = data[self.skipped :]
        return data


class Recoded:
    """Text of another encoding as bytes of UTF-8.

    What cannot be decoded becomes bytes that are no UTF-8 either, so that its line is rejected.
    """

    def __init__(self, file: Bytes, encoding: str) -> None:
        self.file = file
        name = codecs.lookup(encoding).name
        self.errors = "surrogatepass" if name.startswith("utf-") else "surrogateescape"
        self.make = codecs.getincrementaldecoder(encoding)
        self.encoding = encoding
        self.seek(0)

    def tell(self) -> int:
        return self.place

    def seek(self, place: int, /) -> int:
        """Seeks to a position; going back starts over."""
        if place < getattr(self, "place", place + 1):
            self.file.seek(0)
            self.decoder = self.make(self.errors)
            self.waiting, self.place, self.has_ended = b"", 0, False
        while self.place < place and self.read(min(place - self.place, PIECE)):
            pass
        return self.place

    def read(self, size: int, /) -> bytes:
        while len(self.waiting) < size and not self.has_ended:
            data = self.file.read(PIECE)
            self.has_ended = not data
            text = self.decoder.decode(data, final=self.has_ended)
            self.waiting += text.encode(errors=self.errors)
        found, self.waiting = self.waiting[:size], self.waiting[size:]
        self.place += len(found)
        return found


def _unpacked(file: io.BufferedReader, stack: ExitStack, path: Path) -> Bytes:
    start = file.read(6)
    file.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return stack.enter_context(gzip.open(file))
    if start.startswith(b"BZh"):
        return stack.enter_context(bz2.open(file))
    if start == b"\xfd7zXZ\x00":
        return stack.enter_context(lzma.open(file))
    return io.BytesIO(_without_zstd(path)) if start.startswith(_ZSTD) else file


def _without_zstd(path: Path) -> bytes:
    """The whole text: Polars unpacks it, and only as lines of UTF-8."""
    try:
        lines = pl.read_lines(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise MacroError(
            f"{visible(path)} is compressed with zstd and cannot be read: {visible(error, 120)}; "
            f"unpack it, as in zstd -d {visible(path.name)}"
        ) from None
    return "\n".join([*lines.to_series().to_list(), ""]).encode()
