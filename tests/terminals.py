"""A command in a terminal of its own, of which the test is the other end."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path


class Terminal:
    """Runs `python -m macro_tui ...` in a pseudo terminal and gathers what it sends.

    `command` is another program, with its arguments, to run in place of Python.
    """

    def __init__(
        self,
        *arguments,
        program=("-m", "macro_tui"),
        size=(80, 24),
        env=None,
        stdin=None,
        command=None,
    ):
        self.master, slave = pty.openpty()
        self.resize(*size)
        self.attributes = termios.tcgetattr(slave)
        ours = ("NO_COLOR", "COLORTERM", "COLUMNS", "LINES")  # of whoever runs the tests
        environment = {k: v for k, v in os.environ.items() if k not in ours}
        self.process = subprocess.Popen(
            [*(command or (sys.executable, *program)), *map(str, arguments)],
            stdin=slave if stdin is None else stdin,
            stdout=slave,
            stderr=slave,
            env=environment | {"TERM": "xterm-256color", "LANG": "C.UTF-8"} | (env or {}),
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(1, termios.TIOCSCTTY, 0),
        )
        self.slave = slave
        self.received = bytearray()
        self.reading = threading.Event()
        self.reading.set()
        self.is_open = True
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.close()

    def _read(self):
        while self.is_open:
            self.reading.wait()
            ready, _, _ = select.select([self.master], [], [], 0.02)
            if ready and self.reading.is_set():
                try:
                    self.received += os.read(self.master, 1 << 16)
                except OSError:
                    return

    def close(self):
        """Close the terminal, as a window is closed."""
        if self.is_open:
            self.is_open = False
            self.reading.set()
            self.thread.join()
            os.close(self.slave)
            os.close(self.master)

    def resize(self, width, height):
        size = struct.pack("HHHH", height, width, 0, 0)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)
        if hasattr(self, "process"):
            os.killpg(self.process.pid, signal.SIGWINCH)

    def send(self, keys):
        os.write(self.master, keys.encode())

    def wait_for(self, text, seconds=120, after=0):
        """Until a text has been sent; the first compilation may take its time."""
        end = time.monotonic() + seconds
        while self.received.find(text.encode(), after) < 0:
            assert self.process.poll() is None, self.received.decode(errors="replace")[-3000:]
            assert time.monotonic() < end, self.received.decode(errors="replace")[-3000:]
            time.sleep(0.002)

    def count(self, seconds):
        """Bytes that come in so many seconds."""
        before = len(self.received)
        time.sleep(seconds)
        return len(self.received) - before

    def wait(self, seconds=60):
        """The exit code, and how long it took."""
        started = time.monotonic()
        code = self.process.wait(seconds)
        with contextlib.suppress(OSError):
            time.sleep(0.1)
        return code, time.monotonic() - started

    def cpu_seconds(self):
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
