"""A grid of cells to draw on, which clips."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from macro_tui.view.cells import TAIL, in_cells, width_of
from macro_tui.view.glyphs import UNICODE, Glyphs
from macro_tui.view.roles import FILLED, NAMES
from macro_tui.view.rows import Row

_BLANK = ord(" ")
_LATIN = 0x10FF  # no character up to here is wide
_NUMBER = {name: number for number, name in enumerate(NAMES)}
_IS_FILLED = np.array([name in FILLED for name in NAMES])


class Canvas:
    """Characters and roles, one of each a cell."""

    def __init__(self, width: int, height: int, glyphs: Glyphs = UNICODE) -> None:
        self.width, self.height = max(width, 0), max(height, 0)
        self.glyphs = glyphs
        self.characters = np.full((self.height, self.width), _BLANK, np.uint32)
        self.roles = np.zeros((self.height, self.width), np.intp)
        self.has_wide = False

    def put(self, x: int, y: int, text: str, role: str) -> None:
        """Writes text from a cell to the right."""
        if not 0 <= y < self.height:
            return
        if not (text.isascii() and text.isprintable()):
            text = in_cells(text, self.glyphs.ascii)
            self.has_wide |= TAIL in text
        text = text[max(-x, 0) : max(self.width - x, 0)]
        x = max(x, 0)
        codes = np.frombuffer(text.encode("utf-32-le"), "<u4")
        self.characters[y, x : x + len(codes)] = codes
        self.roles[y, x : x + len(codes)] = _NUMBER[role]

    def put_right(self, end: int, y: int, text: str, role: str) -> None:
        """Writes text so that it ends before a column."""
        self.put(end - width_of(text), y, text, role)

    def put_down(self, x: int, top: int, bottom: int, text: str, role: str) -> None:
        """Writes one character on several rows."""
        if 0 <= x < self.width:
            self.characters[max(top, 0) : bottom, x] = ord(in_cells(text, self.glyphs.ascii))
            self.roles[max(top, 0) : bottom, x] = _NUMBER[role]

    def put_cells(
        self, x: int, y: int, codes: NDArray[np.uint32], owners: NDArray[np.int64], roles: list[str]
    ) -> None:
        """Lays a picture over the sheet; owner -1 is transparent."""
        codes, owners = codes[: self.height - y, : self.width - x], owners[: self.height - y]
        owners = owners[:, : self.width - x]
        numbers = np.array([_NUMBER[role] for role in roles] + [0], np.intp)
        area = slice(y, y + codes.shape[0]), slice(x, x + codes.shape[1])
        drawn = owners >= 0
        self.characters[area] = np.where(drawn, codes, self.characters[area])
        self.roles[area] = np.where(drawn, numbers[owners], self.roles[area])

    def is_blank(self, x: int, y: int) -> bool:
        on_sheet = 0 <= y < self.height and 0 <= x < self.width
        return on_sheet and bool(self.characters[y, x] == _BLANK)

    def rows(self) -> list[Row]:
        """The cells as runs of one role; a blank belongs to the run before it, if it may."""
        if not self.width:
            return [[] for _ in range(self.height)]
        if self.has_wide:
            self._blank_halves()
        free = (self.characters == _BLANK) & ~_IS_FILLED[self.roles]
        last = np.maximum.accumulate(np.where(free, 0, np.arange(self.width)), axis=1)
        roles = np.take_along_axis(self.roles, last, axis=1)
        roles = np.where(free & _IS_FILLED[roles], 0, roles)
        text = self.characters.astype("<u4").tobytes().decode("utf-32-le")
        starts: list[list[int]] = [[0] for _ in range(self.height)]
        for y, x in np.argwhere(np.diff(roles, axis=1)).tolist():
            starts[y].append(x + 1)
        return [
            [
                (text[y * self.width + a : y * self.width + b], NAMES[roles[y, a]])
                for a, b in pairwise([*starts[y], self.width])
            ]
            for y in range(self.height)
        ]

    def _blank_halves(self) -> None:
        """Blanks what is left of a wide character of which the other half was drawn over."""
        tails = self.characters == ord(TAIL)
        wide = np.zeros_like(tails)
        for y, x in np.argwhere(self.characters > _LATIN).tolist():
            wide[y, x] = len(in_cells(chr(self.characters[y, x]))) == 2
        followed, preceded = np.zeros_like(tails), np.zeros_like(tails)
        followed[:, :-1], preceded[:, 1:] = tails[:, 1:], wide[:, :-1]
        self.characters[(wide & ~followed) | (tails & ~preceded)] = _BLANK
