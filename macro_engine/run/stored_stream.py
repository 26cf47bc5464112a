"""The inferred settings of a live stream in a run file, for a resumed run."""

from __future__ import annotations

from pathlib import Path

from macro_engine.core.state import State, child
from macro_engine.run.store.runfile import RunReader
from macro_engine.stream.opening import StoredStream


def stored_stream(run_file: Path) -> StoredStream | None:
    """The settings and columns of a run; None for a new one, or one that read nothing yet."""
    if not run_file.exists() or not run_file.stat().st_size:
        return None
    reader = RunReader(run_file)
    try:
        settings, state = reader.info.get("settings"), reader.state()
    finally:
        reader.close()
    position: State | None = None if state is None else child(state, "source").get("position")
    names = position.get("names") if isinstance(position, dict) else None
    if not isinstance(settings, dict) or not isinstance(position, dict):
        return None
    return StoredStream(settings, [str(n) for n in names] if isinstance(names, list) else None)
