"""Checks that a run has the settings and the input of the run that it resumes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.state import child, children
from macro_engine.options.settings import Settings
from macro_engine.options.table import DEFAULTS

_SHOWN_ONLY = {"metric", "class"}  # they change nothing in a run


def plain(values: Any) -> Any:
    """The values as JSON gives them back; infinity, which JSON has not, as text."""
    if isinstance(values, dict):
        return {str(name): plain(value) for name, value in values.items()}
    if isinstance(values, list | tuple):
        return [plain(value) for value in values]
    return "inf" if values == float("inf") else values


def settings_of(settings: Settings) -> dict[str, Any]:
    """Every setting that has a value."""
    return {n: plain(value) for n, value in settings.values.items() if value is not None}


def check_same(info: dict[str, Any], now: dict[str, Any], path: Path) -> None:
    """Refuses to resume with other settings or another input, and names the difference."""
    differences = []
    before, wanted = child(info, "settings"), now["settings"]
    for name in dict.fromkeys([*before, *wanted]):
        # an option that did not exist then had no effect beyond its default
        was, is_now = before.get(name, DEFAULTS.get(name)), wanted.get(name)
        if name not in _SHOWN_ONLY and was != is_now:
            option = name.replace("_", "-")
            differences.append(f"--{option} was {_shown(was)} and is {_shown(is_now)}")
    old, new = children(info, "input"), now["input"]
    if [f.get("name") for f in old] != [f["name"] for f in new]:
        differences.append(f"the input was {_names(old)} and is {_names(new)}")
    elif old != new:
        changed = next(f for f, g in zip(new, old, strict=True) if f != g)
        differences.append(f"the content of {visible(changed['name'])} has changed")
    if differences:
        raise MacroError(
            f"{visible(path)} holds another run, which cannot be resumed like this: "
            f"{'; '.join(differences)}. Name another file, or repeat the settings of that run"
        )


def _names(files: Sequence[dict[str, Any]]) -> str:
    return ", ".join(visible(file.get("name")) for file in files)


def _shown(value: Any) -> str:
    return "not given" if value is None else visible(json.dumps(value, ensure_ascii=False), 60)
