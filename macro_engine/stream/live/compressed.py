"""Reads compressed files from any position, a piece at a time."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import zlib
from typing import IO, Any

_PIECE = 1 << 16


class PackedError(OSError):
    """A compressed file that ends too soon or is damaged; nothing can be read from there on."""

    def __init__(self, why: str) -> None:
        super().__init__(0, why)
        self.why = why


class Unpacked:
    """The content of a compressed file.

    Parameters
    ----------
    descriptor
        Of the compressed file; it stays open.
    packing
        `.gz`, `.bz2` or `.xz`.
    """

    def __init__(self, descriptor: int, packing: str) -> None:
        self.packed: IO[bytes] = os.fdopen(descriptor, "rb", closefd=False)
        self.packing = packing
        self.renew()

    def renew(self) -> None:
        """Forget what was found out; the file may have changed."""
        self.packed.seek(0)
        self.content = _content(self.packed, self.packing)
        is_empty = os.fstat(self.packed.fileno()).st_size == 0
        self.failure = PackedError("it is empty") if is_empty else None

    def read(self, place: int, size: int) -> bytes:
        """At most so many bytes from a place on; going back means to start over.

        What stands before damage is given out first. Raises `PackedError` where nothing does.
        """
        parts: list[bytes] = []
        if self.content.tell() > place:
            self.renew()
        if self.failure is not None:
            raise self.failure
        try:
            self.content.seek(place)
            while size and (part := self.content.read1(min(size, _PIECE))):
                parts.append(part)
                size -= len(part)
        except EOFError:
            self.failure = PackedError("it ends too soon")
        except (OSError, zlib.error, lzma.LZMAError) as error:
            if isinstance(error, OSError) and error.errno is not None:
                raise  # of the disk
            self.failure = PackedError(str(error))
        if self.failure is not None and not parts:
            raise self.failure
        return b"".join(parts)


def _content(packed: IO[bytes], packing: str) -> Any:
    if packing == ".gz":
        return gzip.GzipFile(fileobj=packed)
    return bz2.BZ2File(packed) if packing == ".bz2" else lzma.LZMAFile(packed)
