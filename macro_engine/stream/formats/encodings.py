"""Guesses the encoding of a text that is not UTF-8, and decodes encodings of one byte."""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence

from macro_engine.core.errors import UsageError

_LEAST = 3  # lines by which an encoding is judged: fewer may be damage
_BEYOND_LATIN_1 = re.compile(rb"[\x80-\x9f]")
_ASCII = bytes(range(128))


def encoding_of(lines: Sequence[bytes]) -> str | None:
    """The encoding of lines none of which is UTF-8 beyond ASCII; None for UTF-8, or a mixture.

    >>> encoding_of(["Zürich".encode("latin-1")] * 3), encoding_of(["Zürich".encode()] * 3)
    ('latin-1', None)
    """
    others = [line for line in lines if not line.isascii()]
    if len(others) < _LEAST or any(map(_is_utf_8, others)):
        return None
    text = b"\n".join(others)
    if b"\0" in text:
        return None
    if not _BEYOND_LATIN_1.search(text):
        return "latin-1"
    try:
        text.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return "cp1252"


def one_byte_encoding(name: str) -> str | None:
    """The encoding of a live stream, None for UTF-8; its lines must be told by their bytes."""
    if codecs.lookup(name).name in ("utf-8", "utf-8-sig", "ascii"):
        return None
    try:
        is_one = all(len(bytes([b]).decode(name, "replace")) == 1 for b in range(256))
        if is_one and _ASCII.decode(name) == _ASCII.decode():
            return name
    except UnicodeError:
        pass
    raise UsageError(
        f"--encoding {name}: tail reads UTF-8, and encodings of one byte a character, such as "
        "latin-1; let the writer write UTF-8, or record the file and replay it"
    )


def first_undecodable(lines: Sequence[bytes]) -> int | None:
    """The number, from 1, of the first line that is not UTF-8; the last may be cut off."""
    return next((n for n, line in enumerate(lines[:-1], 1) if not _is_utf_8(line)), None)


def _is_utf_8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
