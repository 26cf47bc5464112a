"""Standard input as a live stream, which ends and cannot be read again."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.state import State
from macro_engine.stream.formats.text_file import PIECE
from macro_engine.stream.live.live_text import CsvColumns, LiveText, TextPosition, is_cut_bom
from macro_engine.stream.live.piece_size import PieceSize
from macro_engine.stream.source import Source
from macro_engine.stream.table import Table

NAME = "standard input"
MOST_IN_PIPE = 1 << 16  # on Linux; a read that brings as much was likely not the last one


class Pipe:
    """Bytes read from a descriptor and not consumed yet."""

    def __init__(self, descriptor: int = 0) -> None:
        if descriptor == 0 and sys.stdin is None:  # by now 0 may be some other file
            raise MacroError(f"{NAME} cannot be read: it is closed")
        self.descriptor = descriptor
        self.waiting = b""
        self.has_ended = False

    def fill(self, most: int = PIECE) -> None:
        """Read what is there now, at most so many bytes."""
        if self.has_ended or not select.select([self.descriptor], [], [], 0)[0]:
            return
        data = os.read(self.descriptor, most)
        self.has_ended = not data
        self.waiting += data

    def take(self) -> bytes:
        data, self.waiting = self.waiting, b""
        return data


class StandardInput(Source):
    """Reads a pipe as `TailSource` reads a file.

    Attributes
    ----------
    has_more
        Whether there is likely something to read at once.
    is_idle
        Whether nothing came at the last poll.
    has_ended
        Whether everything was read.
    """

    name = NAME
    can_rewind = False

    def __init__(self, pipe: Pipe, layout: CsvColumns, say: Callable[[str], None]) -> None:
        self.pipe = pipe
        self.layout = layout
        self.say_plainly = say
        self.text = LiveText(NAME, layout, self.say)
        self.piece = PieceSize()
        self.has_ended = False
        self.trouble: str | None = None
        self.has_more = False
        self.is_idle = True

    def position(self) -> State | None:
        """The number of bytes read; a resumed run cannot go back to it."""
        return self.text.position().state()

    def restore(self, position: State) -> None:
        """Go on with a new pipe, in the order of columns known before."""
        names = TextPosition.restored(position, self.layout.needed).names
        layout = CsvColumns(self.layout.dialect, names, self.layout.needed)
        self.text = LiveText(NAME, layout, self.say)
        self.say("what came between the last run and this one cannot be read again: rows are lost")

    def poll(self) -> list[Table]:
        """The rows that have come; none if there are none."""
        most = self.piece.of(self.most_rows)
        try:
            self.pipe.fill(most)
        except OSError as error:
            self.pipe.has_ended = True
            self.say(f"cannot be read any more ({visible(error.strerror)}): taken as its end")
        cut = self.text.taken == 0 and is_cut_bom(self.pipe.waiting) and not self.pipe.has_ended
        self.is_idle = cut or not self.pipe.waiting
        if not self.is_idle:
            data = self.pipe.take()
            self.has_more = len(data) >= min(most, MOST_IN_PIPE) or self.pipe.has_ended
            tables = self.text.take(data)
            self.piece.took(len(data), sum(map(len, tables)))
            return tables
        self.has_more = False
        if self.pipe.has_ended and not self.has_ended:
            self.has_ended = True
            return self.text.finish()
        return []

    def say(self, text: str) -> None:
        self.say_plainly(f"{NAME}: {text}")
