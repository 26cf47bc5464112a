"""One line about a run file, for `macro-tui runs`."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.format import size_text
from macro_engine.run.store.lock import writer_of
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.store.whole_file import size_of


def listing_line(path: Path) -> tuple[str, ...]:
    """Name, state, steps, rows, the errors of its strategy and the baseline, size, last commit."""
    name, size = visible(path.name), size_text(size_of(path))
    try:
        reader = RunReader(path)
    except MacroError as error:
        words = str(error).removeprefix(f"{visible(path)} ").removeprefix(f"{visible(path)}: ")
        return name, visible(words), "", "", "", "", size, ""
    reader.close()
    info = reader.info
    summary = info.get("summary")
    known = summary if isinstance(summary, dict) else {}
    errors = known.get("errors")
    shares = errors if isinstance(errors, dict) else {}
    return (
        name,
        state_in_words(path, info) + (f"; {reader.dropped}" if reader.dropped else ""),
        _count(known.get("steps", 0)),
        _count(known.get("rows", 0)),
        _percent(shares.get(reader.strategy)),
        _percent(shares.get("marginal")),
        size,
        _when(info.get("committed")),
    )


def state_in_words(path: Path, info: dict[str, Any]) -> str:
    """Returns the state of the run in words."""
    pid = writer_of(path)
    if pid is not None:
        return f"running (pid {pid})" if pid else "running"
    status = visible(info.get("status", "empty"), 20)
    if failure := info.get("failure"):
        return f"failed: {visible(failure, 200)}"
    return "its process ended without closing it" if status == "running" else status


def _count(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else "?"


def _percent(value: Any) -> str:
    return f"{value:.2%}" if isinstance(value, float) else ""


def _when(value: Any) -> str:
    try:
        return datetime.fromtimestamp(value).isoformat(" ", "seconds")
    except (TypeError, ValueError, OverflowError, OSError):
        return ""
