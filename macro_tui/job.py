"""The job of a shell that this process belongs to."""

from __future__ import annotations

import os
from pathlib import Path


def has_shell() -> bool:
    """Whether a shell of this session can resume the job when it is stopped."""
    group, session, parent = os.getpgid(0), os.getsid(0), os.getppid()
    try:
        while os.getpgid(parent) == group:
            if parent <= 1:
                return False
            parent = _parent_of(parent)
        return os.getsid(parent) == session
    except OSError:  # who is of another user, or gone, does not wake it
        return False


def _parent_of(process: int) -> int:
    status = Path(f"/proc/{process}/stat").read_text()
    return int(status.rpartition(")")[2].split()[1])
