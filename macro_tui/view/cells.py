"""Text as cells of a terminal: one character a cell.

A wide character, which fills two cells, is followed by `TAIL`, so that the length of a text is its
width; whoever paints leaves the tails out.
"""

from __future__ import annotations

import re
import unicodedata

from rich.cells import get_character_cell_size

from macro_engine.core.escape import visible

TAIL = "\ue000"  # of private use: `visible` spells it out where a stream has it
_PLAIN = re.compile("[ -~\u2500-\u25ff\u2800-\u28ff]*")
_SPELLED = str.maketrans({"…": "~", "·": "-", "→": ">", "∞": "~"})


def in_cells(text: str, ascii_only: bool = False) -> str:
    r"""The text, one character a cell; a question mark for what a terminal cannot show.

    Marks that fill no cell, and are part of no character, are left out. What is in cells already
    stays as it is.

    >>> in_cells("ATL\x1b[2J"), len(in_cells("東京")), in_cells("0.05 → 0.10 ▲", ascii_only=True)
    ('ATL?[2J', 4, '0.05 > 0.10 ?')
    """
    if text.isascii() and text.isprintable():
        return text
    if ascii_only and not text.isascii():
        text = text.translate(_SPELLED).encode("ascii", "replace").decode()
    if _PLAIN.fullmatch(text):
        return text
    return "".join(map(_cells_of, unicodedata.normalize("NFC", text.replace(TAIL, ""))))


def _cells_of(character: str) -> str:
    if not character.isprintable():
        return "?"
    size = get_character_cell_size(character)
    return character + TAIL if size == 2 else character if size == 1 else ""


def width_of(text: str) -> int:
    """How many cells a text fills."""
    return len(text) if text.isascii() else len(in_cells(text))


def clipped(text: str, width: int) -> str:
    """The first cells of a text that is in cells; half a wide character is a blank."""
    text = text[: max(width, 0)]
    is_half = text[-1:] not in ("", TAIL) and not text.isascii() and len(in_cells(text[-1])) == 2
    return f"{text[:-1]} " if is_half else text


def in_room(text: object, limit: int = 80) -> str:
    """Text from a stream in at most so many cells.

    >>> in_room("plum", 8), in_room("plum pudding", 8)
    ('plum', 'plum pu…')
    """
    found = in_cells(visible(text, limit))
    return found if len(found) <= limit else f"{clipped(found, limit - 1)}…"
