"""Columns that only tell rows apart: ids, and the index that a program wrote beside the rows."""

from __future__ import annotations

import re

import numpy as np

from macro_engine.stream.label_candidates import words_of
from macro_engine.stream.table import MISSING, Column

_IDS = frozenset(("id", "ids", "uid", "uuid", "guid", "rowid", "index", "idx"))
_INDEX = re.compile(r"__index_level_\d+__|Unnamed: \d+")  # as pandas writes it
_LEAST = 20  # rows that tell
_SOME = 100  # different values


def why_identifier(name: str, column: Column) -> str | None:
    """Why a column says nothing about its row; None if it may say something."""
    if _INDEX.fullmatch(name):
        return "it is the index that another program wrote"
    if _counts(column):
        return "it counts the rows"
    if not is_called_id(name):
        return None
    texts = [text for text in column.texts() if text not in MISSING]
    different = len(set(texts))
    if different == len(texts) > 2:
        return "it is an id: no value comes twice"
    if different > _SOME:
        return f"it is an id with {different:,} different values"
    return None


def is_called_id(name: str) -> bool:
    """Whether its values are names, though they may be numbers."""
    words = words_of(name)
    return bool(words) and (words[-1] in _IDS or words[0] in _IDS)


def _counts(column: Column) -> bool:
    numbers, problems = column.numbers()
    return len(numbers) >= _LEAST and not problems and bool((np.diff(numbers) == 1).all())
