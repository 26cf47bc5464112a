"""The process that compiles the kernels of a run into the cache.

It ends when its standard input does, so that it never outlives the run.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict

from macro_engine.algorithm.needed_kernels import NeededKernels
from macro_engine.core.cache_notes import (
    compile_lock,
    found_folder,
    is_warm,
    keep_compiler_pace,
    mark_as_warm,
)

_PROGRAM = "import json, sys; told = json.loads(sys.argv[1]); sys.path[:] = told['path']; "
_PROGRAM += f"from {__name__} import main; main(told['needed'])"
_NAP = 0.1  # seconds, while another process compiles the same


def start(needed: NeededKernels) -> subprocess.Popen[bytes]:
    """Begin to compile; the process is the leader of a group of its own."""
    told = json.dumps({"path": sys.path, "needed": asdict(needed)})
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM, told],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """End it at once."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def main(told: dict[str, object]) -> None:
    """Runs the compiler process."""
    threading.Thread(target=_end_with_the_run, daemon=True).start()
    needed = NeededKernels(**told)  # type: ignore[arg-type]
    folder, why = found_folder()
    if folder is None:
        sys.exit(why)
    with compile_lock(folder, needed.name, lambda: time.sleep(_NAP)):
        if not is_warm(folder, needed.name):
            from macro_engine.core.kernel_cache import trouble

            started = time.monotonic()
            needed.load()
            keep_compiler_pace(folder, (time.monotonic() - started) / needed.seconds)
            if not trouble.cannot_write:
                mark_as_warm(folder, needed.name)


def _end_with_the_run() -> None:
    while os.read(0, 1):
        pass
    os._exit(1)
