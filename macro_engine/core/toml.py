"""Writes settings as TOML; the standard library only reads it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def to_toml(settings: Mapping[str, Any]) -> str:
    """The settings as a document that reads back as they are.

    >>> print(to_toml({"time": "date", "bounds": {"a b": [0.0, 1.0]}}), end="")
    time = "date"
    <BLANKLINE>
    [bounds]
    "a b" = [0.0, 1.0]
    """
    lines = [f"{key} = {_value(v)}" for key, v in settings.items() if not isinstance(v, dict)]
    for key, table in settings.items():
        if isinstance(table, dict):
            lines += ["", f"[{key}]", *(f"{_text(k)} = {_value(v)}" for k, v in table.items())]
    return "\n".join(lines) + "\n"


def _value(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return repr(value)  # TOML writes Python's whole numbers, floats, inf and nan alike


def _text(text: str) -> str:
    # a JSON string is a TOML basic string, but for DEL and the pairs JSON makes of rare characters
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
