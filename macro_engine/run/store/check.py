"""`macro-tui runs --check`: whether a run file is intact."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from macro_engine.core.escape import visible
from macro_engine.core.format import steps_text
from macro_engine.run.store.runfile import RunReader


def check(path: Path) -> tuple[list[str], bool]:
    """Lines about what is whole and what is not, and whether everything is whole."""
    with closing(RunReader(path, is_tolerant=True)) as reader:
        spans: list[list[int]] = []
        rows = 0
        for steps in reader.check():
            rows += steps.rows
            if spans and spans[-1][1] == steps.first_step:
                spans[-1][1] = steps.stop
            else:
                spans.append([steps.first_step, steps.stop])
        whole = ", ".join(steps_text(*span) for span in spans) or "no steps"
        lines = [f"{visible(path)}: version {reader.version}"]
        if reader.version == 1:
            lines[0] += ", which has no checksums: what can be read may still be wrong"
        lines.append(f"whole: {whole} ({rows:,} rows)")
        lines += [f"damaged: {visible(what, 300)}" for what in reader.damage]
        if reader.dropped:
            lines.append(f"dropped: {reader.dropped}")
        return lines, not reader.damage
