"""Suggests the closest known name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from macro_engine.core.escape import visible


def did_you_mean(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """A question with the known name that is closest, to follow what is said of the word.

    >>> did_you_mean("lables", ["labels", "features"])
    ", did you mean 'labels'?"
    >>> did_you_mean("x", ["labels"], otherwise=".")
    '.'
    """
    nearest = difflib.get_close_matches(word, list(known), n=1)
    return f", did you mean '{visible(nearest[0])}'?" if nearest else otherwise
