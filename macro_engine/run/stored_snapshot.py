"""The snapshot of a run from its run file, and the state of its writer."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.format import elapsed_text
from macro_engine.core.state import DamagedError
from macro_engine.run.snapshot import COMPILING, Snapshot
from macro_engine.run.store.lock import alive_at, writer_of
from macro_engine.run.store.runfile import RunReader

_UNWRITTEN_SECONDS = 15.0  # until it is said; between two commits pass 10 s at most


def snapshot_of(reader: RunReader) -> Snapshot:
    """The snapshot in the file, with what became of its writer since."""
    told = reader.info.get("snapshot")
    try:
        known = {"strategy": reader.strategy}  # which a file of version 1 does not tell
        snapshot = Snapshot.restored(known | told if isinstance(told, dict) else known)
    except DamagedError as error:
        raise MacroError(f"{visible(reader.path)} is damaged: {error}") from None
    status = visible(reader.info.get("status", "starting"), 20)
    if status != "running":
        words = f"the run is {status}"
        if failure := reader.info.get("failure"):
            words = f"the run failed: {visible(failure, 400)}"
        return replace(snapshot, state=status, words=words, rate=0.0, trouble="")
    written = _written_at(reader, reader.path)
    ago = max(time.time() - written, 0.0)
    if writer_of(reader.path) is None:
        words = f"writer gone for {elapsed_text(ago)}"
        return replace(snapshot, state="gone", words=words, rate=0.0, seen=None)
    snapshot = replace(snapshot, seen=written)
    if ago >= _UNWRITTEN_SECONDS:
        doing = "compiling" if snapshot.warming == COMPILING else "not written"
        words = f"{doing} for {elapsed_text(ago)}"
        return replace(snapshot, state="waiting", words=words, rate=0.0)
    if snapshot.state == "waiting" and snapshot.gone is not None:
        gone = max(time.time() - snapshot.gone, 0.0)
        what = snapshot.words.removesuffix(", waiting")
        return replace(snapshot, words=f"{what} for {elapsed_text(gone)}, waiting")
    if snapshot.state == "quiet" and snapshot.came is not None:
        quiet = max(time.time() - snapshot.came, 0.0)  # commits are rare in the meantime
        return replace(snapshot, words=f"quiet {elapsed_text(quiet)}")
    return snapshot


def _written_at(reader: RunReader, path: Path) -> float:
    """Until when the file has all that its writer had for it, in seconds since 1970."""
    now, committed = time.time(), reader.info.get("committed")
    known = [committed] if isinstance(committed, float) and committed >= 0 else []
    return min(now, max([*known, alive_at(path)]) or now)
