"""Detects columns that identify rows: ids, and the index that pandas writes."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from macro_engine.core.rows import Floats
from macro_engine.stream.label_candidates import words_of

_IDS = frozenset(("id", "ids", "uid", "uuid", "guid", "rowid"))
_WHOLE_NAMES = frozenset(("index", "idx"))  # but a uv_index is a number
_INDEX = re.compile(r"__index_level_\d+__|Unnamed: \d+")  # as pandas writes it
_LEAST = 20  # rows that tell
_SOME = 100  # different values


def why_identifier(name: str, values: Sequence[str], numbers: Floats) -> str | None:
    """Why a column says nothing about its row; None if it may say something.

    Parameters
    ----------
    values
        The texts that are there.
    numbers
        Those that are numbers.
    """
    if _INDEX.fullmatch(name):
        return "it is the index that another program wrote"
    is_whole = len(values) == len(numbers)
    if is_whole and len(numbers) >= _LEAST and (np.diff(numbers) == 1).all():
        return "it counts the rows"
    if not is_called_id(name) or has_fractions(numbers):
        return None
    different = len(set(values))
    if different == len(values) > 2:
        return "it is an id: no value comes twice"
    if different > _SOME:
        return f"it is an id with {different:,} different values"
    return None


def is_called_id(name: str) -> bool:
    """Whether its values are names, though they may be numbers."""
    words = words_of(name)
    has_word = bool(words) and (words[-1] in _IDS or words[0] in _IDS)
    return has_word or name.lower() in _WHOLE_NAMES


def has_fractions(numbers: Floats) -> bool:
    """Whether any of the numbers is not whole."""
    return bool((numbers != np.floor(numbers)).any())
