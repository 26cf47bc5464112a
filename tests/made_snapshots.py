"""Text snapshots of the screen; UPDATE_SNAPSHOTS=1 writes them anew."""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "macro_tui" / "snapshots"


def compare(name, text):
    path = FOLDER / f"{name}.txt"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(text)
    assert text.splitlines() == path.read_text().splitlines()
