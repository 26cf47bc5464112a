"""Compiles the kernels of a run in the background, and reports when they are ready.

A run waits for no compiler: it plays on interpreted kernels until the compiled ones are there.
Another process compiles them into the cache, from where this one loads them. Where there is no
cache folder they are compiled in a thread of this process: that slows the run, which goes on.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from time import monotonic

from macro_engine.algorithm.needed_kernels import NeededKernels
from macro_engine.core.cache_notes import compiler_pace, found_folder, is_warm, mark_as_warm
from macro_engine.core.escape import visible
from macro_engine.run.compiling import compiler_process

WAIT = "MACRO_TUI_COMPILER"  # set to `wait`, a run waits for the compiler before its first step


def must_warm_up(needed: NeededKernels) -> bool:
    """Whether the kernels are not in the cache, and the run need not wait for them."""
    if os.environ.get(WAIT) == "wait":
        return False
    folder, _ = found_folder()
    return folder is None or not is_warm(folder, needed.name)


def must_wait(needed: NeededKernels) -> bool:
    """Whether the kernels are not in the cache, and the run waits until they are compiled."""
    if os.environ.get(WAIT) != "wait":
        return False
    folder, _ = found_folder()
    return folder is None or not is_warm(folder, needed.name)


def load(needed: NeededKernels, announce: Callable[[str], None]) -> None:
    """Load the kernels from the cache; where they are not in it, wait for the compiler."""
    from macro_engine.core.kernel_cache import trouble

    folder, _ = found_folder()
    is_cold = folder is None or not is_warm(folder, needed.name)
    if is_cold:
        announce(f"compiling the fast path, about {math.ceil(needed.seconds)} s")
    needed.load()
    if is_cold and folder is not None and not trouble.cannot_write:
        mark_as_warm(folder, needed.name)


class Warming:
    """Compiles in the background, from now on.

    Attributes
    ----------
    is_ready
        Whether the kernels are loaded.
    failure
        Why they will never be, in words; empty if they may.
    """

    def __init__(self, needed: NeededKernels) -> None:
        self.needed = needed
        self.is_ready = False
        self.failure = ""
        self.process: subprocess.Popen[bytes] | None = None
        self.stopping = False
        self.ending = threading.Lock()  # no process starts after the end
        self.folder, self.why_no_folder = found_folder()
        pace = 1.0 if self.folder is None else compiler_pace(self.folder)
        self.started = monotonic()
        self.until = self.started + needed.seconds * pace
        threading.Thread(target=self._warm_up, name="compiler", daemon=True).start()

    @property
    def words(self) -> str:
        """The time left, for the user; without a number if it takes longer than expected."""
        left = math.ceil(self.until - monotonic())
        return f"warming up, {left} s left" if left > 0 else "warming up"

    @property
    def announcement(self) -> str:
        about = f"about {math.ceil(self.until - self.started)} s"
        if self.folder is None:
            return (
                f"compiling the fast path during the run, {about}; {self.why_no_folder}, so that "
                "every run compiles it"
            )
        return f"compiling the fast path during this first run, {about}"

    def stop(self) -> None:
        """End the compiler at once."""
        with self.ending:
            self.stopping = True
            if self.process is not None:
                compiler_process.end(self.process)

    def _warm_up(self) -> None:
        try:
            if self.folder is not None and sys.executable:
                self._compile_beside()
            if not self.stopping and not self.failure:
                self.needed.load()
                self.is_ready = True
        except Exception as error:  # whatever a compiler fails with, the run goes on
            self._failed(f"{type(error).__name__}: {error}")

    def _compile_beside(self) -> None:
        with self.ending:
            if self.stopping:
                return
            self.process = compiler_process.start(self.needed)
        assert self.process.stderr is not None
        with self.process:
            said = self.process.stderr.read()
            code = self.process.wait()  # before its standard input is closed, which ends it
        if code and not self.stopping:
            lines = said.decode(errors="replace").strip().splitlines()
            self._failed(lines[-1] if lines else f"it ended with exit code {code}")

    def _failed(self, why: str) -> None:
        self.failure = (
            f"the fast path could not be compiled ({visible(why, 200)}): continuing without it"
        )
