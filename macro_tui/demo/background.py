"""Starts the process that makes the feeds of a demo, and removes all that it wrote."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = "macro-tui-demo-"
_PATIENCE = 3.0  # seconds for the process to end


@contextmanager
def feeds(airports: Sequence[str], with_runs: bool) -> Iterator[Path]:
    """Plays feeds into a temporary folder, which is removed at the end.

    The process ends, and removes the folder, when its standard input does: whatever ends this
    process, nothing stays behind. What this process writes to temporary files goes there too.

    Parameters
    ----------
    with_runs
        Whether runs over the feeds are made there too, a run file each.
    """
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try:
        words = ["runs" if with_runs else "feeds", str(folder), *airports]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "macro_tui.demo.feeding", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=(folder / "log").open("wb"),
            start_new_session=True,  # so that ctrl+c reaches this process alone
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        assert process.stdin is not None
        process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
        if process.poll() is None:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)
