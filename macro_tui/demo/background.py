"""Starts the process that makes the feeds of a demo, and removes its files."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

PREFIX = "macro-tui-demo-"
_PATIENCE = 3.0  # seconds for the process to end


@dataclass(frozen=True)
class Background:
    """The process, and the folder that it writes to."""

    folder: Path
    process: subprocess.Popen[bytes]

    def begin(self) -> None:
        """Lets the week begin: the days before it are read."""
        assert self.process.stdin is not None
        with suppress(OSError, ValueError):  # it is over
            self.process.stdin.write(b"\n")
            self.process.stdin.flush()


@contextmanager
def feeds(airports: Sequence[str], with_runs: bool) -> Iterator[Background]:
    """Plays feeds into a temporary folder, which is removed at the end.

    The process ends, and removes the folder, when its standard input does: whatever ends this
    process, nothing stays behind. What this process writes to temporary files goes there too.

    Parameters
    ----------
    with_runs
        Whether runs over the feeds are made there too, a run file each; the week of a feed then
        begins by itself.
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
        yield Background(folder, process)
    finally:
        tempfile.tempdir = before
        assert process.stdin is not None
        with suppress(OSError):
            process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PATIENCE)
        if process.poll() is None:
            process.kill()
            process.wait()
        shutil.rmtree(folder, ignore_errors=True)
