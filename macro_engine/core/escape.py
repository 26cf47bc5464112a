"""Escapes text from a stream, so that it cannot control the terminal."""

import unicodedata
from pathlib import PurePath

_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(text: object, limit: int = 80) -> str:
    r"""The text with every control, format and unpaired character spelled out, cut at a limit.

    >>> visible("ATL\x1b[2J\r\n")
    'ATL\\x1b[2J\\r\\n'
    >>> visible("a" * 9, limit=5)
    'aaaa…'
    """
    is_path = isinstance(text, PurePath)  # a path that is cut no longer says where
    text = str(text)
    if len(text) > limit and not is_path:
        text = text[: limit - 1] + "…"
    if text.isascii() and text.isprintable():
        return text
    return "".join(_spelled(c) if unicodedata.category(c) in _HIDDEN else c for c in text)


def _spelled(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
