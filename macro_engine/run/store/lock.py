"""The lock of a run file: one writer; the lock of a dead process does not count."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from pathlib import Path

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible

_PATIENCE = 0.3  # seconds


def lock_of(path: Path) -> Path:
    """The file beside a run file that its writer holds locked."""
    path = path.resolve()
    return path.with_name(f"{path.name}-lock")


class WriterLock:
    """Held for as long as the run file is written."""

    def __init__(self, path: Path) -> None:
        self.lock = lock_of(path)
        patience = time.monotonic() + _PATIENCE
        while True:
            try:
                self.descriptor = os.open(self.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
            except OSError as error:
                raise MacroError(f"{visible(path)} cannot be written: {error.strerror}") from None
            try:
                fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() < patience:  # somebody may only be looking who holds it
                    os.close(self.descriptor)
                    time.sleep(0.02)
                    continue
                pid = os.read(self.descriptor, 20).decode(errors="replace").strip()
                os.close(self.descriptor)
                raise MacroError(
                    f"{visible(path)} is being written by another process"
                    + (f" (pid {visible(pid)})" if pid else "")
                    + "; end that one first, or name another file"
                ) from None
            if self._still_there():
                break
            os.close(self.descriptor)  # its last holder removed it in between
        try:
            os.ftruncate(self.descriptor, 0)
            os.write(self.descriptor, str(os.getpid()).encode())
        except OSError as error:  # a full disk, say
            self.release()
            raise MacroError(f"{visible(path)} cannot be written: {error.strerror}") from None

    def show_alive(self) -> None:
        """Updates the heartbeat: everything so far is written."""
        with suppress(OSError):
            os.utime(self.descriptor)

    def release(self) -> None:
        """Releases the lock; a second call does nothing."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            self.lock.unlink(missing_ok=True)
            os.close(descriptor)

    def _still_there(self) -> bool:
        try:
            return os.path.samestat(os.stat(self.lock), os.fstat(self.descriptor))
        except FileNotFoundError:
            return False


def writer_of(path: Path) -> int | None:
    """The process that is writing a run file now; None if there is none."""
    try:
        descriptor = os.open(lock_of(path), os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        pid = os.read(descriptor, 20).decode(errors="replace")
        return int(pid) if pid.isdigit() else 0
    finally:
        os.close(descriptor)
    return None


def alive_at(path: Path) -> float:
    """When the writer of a run file last showed that it was there, in seconds since 1970, or 0."""
    try:
        return os.stat(lock_of(path)).st_mtime
    except OSError:
        return 0.0
