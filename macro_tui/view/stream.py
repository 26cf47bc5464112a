"""The contents of the stream screen: settings and remarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from macro_engine.core.escape import visible
from macro_engine.core.format import short_threshold_text
from macro_tui.view.rows import Row

_FIRST = ("label", "classes", "time", "features", "categorical")
_TITLES = {"history": "histories", "categorical": "categories"}
_NONE = {"clock": "off"}  # what a setting without a value is
_NAME, _WIDTH = 16, 72  # cells
_LONGEST = 4_000  # characters of a value
GUESSED = "guessed: an option changes it, macro-tui inspect --write saves it"


def stream_rows(
    settings: Mapping[str, Any], guessed: Sequence[str], remarks: Sequence[str], failed: str = ""
) -> list[Row]:
    """Why the run failed, if it did, what was guessed, each other setting, and the remarks.

    >>> rows = stream_rows({"features": ["a", "b"], "label": "y"}, ["features"], [])
    >>> ["".join(text for text, _ in row) for row in rows[1:]]
    ['features        a, b', '', 'label           y']
    """
    rows: list[Row] = [[(line, "bad")] for line in wrap(failed, _WIDTH)]
    rows += [[]] if rows else []
    if not settings:
        return [*rows, [("nothing is known of the stream yet", "label")]]
    found = guessed_rows(settings, guessed)
    rows += [*found, []] if found else []
    names = [*_FIRST, *(name for name in settings if name not in (*_FIRST, "bounds"))]
    for name in names:
        if name in settings and name not in guessed:
            rows += _setting(name, settings[name])
    for remark in remarks:
        rows += [[], *([(line, "label")] for line in wrap(visible(remark, _LONGEST), _WIDTH))]
    return rows


def guessed_rows(settings: Mapping[str, Any], guessed: Sequence[str]) -> list[Row]:
    """Returns the guessed settings under one heading; empty if there are none."""
    rows: list[Row] = [[(GUESSED, "label")]] if guessed else []
    for name in guessed:
        rows += _setting(name, settings.get(name) or _NONE.get(name, "none"))
    return rows


def _setting(name: str, value: Any) -> Iterator[Row]:
    values = value if isinstance(value, list) else [value]
    texts = (short_threshold_text(v) if isinstance(v, float) else str(v) for v in values)
    shown = visible(", ".join(texts) or "none", _LONGEST)
    for i, line in enumerate(wrap(shown, _WIDTH - _NAME)):
        title = "" if i else _TITLES.get(name, name)
        yield [(f"{title:<{_NAME}}", "threshold"), (line, "strong")]
