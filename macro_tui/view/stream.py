"""The settings of a run and what is to be said of its stream."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any

from macro_engine.core.escape import visible
from macro_tui.view.rows import Row

_FIRST = ("label", "classes", "time", "features", "categorical")
_NAME, _WIDTH = 16, 72  # cells
_LONGEST = 4_000  # characters of a value


def stream_rows(settings: Mapping[str, Any], remarks: Sequence[str]) -> list[Row]:
    """Each setting, those that say which column is what first, then the remarks.

    >>> [text for text, _ in stream_rows({"features": ["a", "b"], "label": "y"}, [])[1]]
    ['features        ', 'a, b']
    """
    if not settings:
        return [[("nothing is known of the stream yet", "label")]]
    names = [*_FIRST, *(name for name in settings if name not in (*_FIRST, "bounds"))]
    rows = [row for name in names if name in settings for row in _setting(name, settings[name])]
    for remark in remarks:
        rows += [[], *([(line, "label")] for line in wrap(visible(remark, _LONGEST), _WIDTH))]
    return rows


def _setting(name: str, value: Any) -> Iterator[Row]:
    texts = map(str, value) if isinstance(value, list) else [str(value)]
    shown = visible(", ".join(texts) or "none", _LONGEST)
    for i, line in enumerate(wrap(shown, _WIDTH - _NAME)):
        yield [(f"{'' if i else name:<{_NAME}}", "threshold"), (line, "strong")]
