"""Columns of rows whose features appear over time, and the columns that the tiles use."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from macro_engine.core.rows import SLOTS

# what a column holds: a number, 1 for a text, or 1 for a text that the tiles know by its code
NUMBER, ONE_HOT, CODED = range(3)


def texts_of(x: dict[Any, Any]) -> dict[str, str]:
    """The features of a row that are no numbers: by name, the column of what they say.

    >>> texts_of({"delay": 3, "origin": "ATL"})
    {'origin': 'origin=ATL'}
    """
    return {
        str(name): f"{name}={value}"
        for name, value in x.items()
        if type(value) is not float and not isinstance(value, numbers.Real | np.bool_)
    }


class GrowingColumns:
    """Columns in the order of their appearance, those of one row in the order of their names.

    Attributes
    ----------
    kinds
        What each column holds: as it did when it appeared.
    units, categories
        The features of the first row, which the tiles see: numbers, and texts.
    codes
        By category, the code of each text in the order of appearance.
    """

    def __init__(self) -> None:
        self.kinds: dict[str, int] = {}
        self.units: tuple[str, ...] = ()
        self.categories: tuple[str, ...] = ()
        self.codes: list[dict[str | None, int]] = []
        self.has_rows = False

    def add(self, x: dict[Any, Any], names: Sequence[str]) -> list[str]:
        """Adds a row to learn, given its columns; returns the new ones."""
        new = sorted(name for name in names if name not in self.kinds)
        if self.has_rows and not new:
            return new
        texts = texts_of(x)
        said = set(texts.values())
        if not self.has_rows:
            self.has_rows = True
            self.units = tuple(sorted(set(names) - said))
            self.categories = tuple(sorted(texts))
            self.codes = [{} for _ in texts]
        coded = {texts[name] for name in self.categories if name in texts}
        for name in new:
            self.kinds[name] = CODED if name in coded else ONE_HOT if name in said else NUMBER
        return new

    def codes_of(self, x: dict[Any, Any], learns: bool = False) -> list[int]:
        """The code of each category in a row; a text that is missing has a code as well.

        A text that was never learned has the next code. The last one is shared by all that come
        when there are too many.
        """
        if not self.categories:
            return []
        texts, found = texts_of(x), []
        for name, codes in zip(self.categories, self.codes, strict=True):
            text = texts.get(name)
            code = codes.get(text, min(len(codes), SLOTS - 1))
            if learns:
                codes[text] = code
            found.append(code)
        return found

    def kind(self, name: str, texts: Sequence[str]) -> int:
        """What a column holds, known or not, given the columns of the texts of its row."""
        return self.kinds.get(name, ONE_HOT if name in texts else NUMBER)
