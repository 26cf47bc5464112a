"""An SSH server of the test's own: on loopback, with throw-away keys."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
_CONFIG = """\
ListenAddress 127.0.0.1
Port {port}
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized_keys
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
AcceptEnv COLORTERM LC_* MACRO_TUI_* TEXTUAL_* TMPDIR XDG_CACHE_HOME
"""


class SshServer:
    """Runs sshd; two keys may come in: `owner` with a shell, `visitor` by a forced command."""

    def __init__(self, folder: Path, forced: str = "false") -> None:
        self.folder = folder
        folder.chmod(0o700)
        for name in ("host", "owner", "visitor"):
            key = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
            subprocess.run(key, check=True)
        self.force(forced)
        with socket.socket() as found:
            found.bind(("127.0.0.1", 0))
            self.port = found.getsockname()[1]
        (folder / "config").write_text(_CONFIG.format(port=self.port, folder=folder))
        if os.geteuid() == 0:
            Path("/run/sshd").mkdir(exist_ok=True)
        assert SSHD is not None
        command = [SSHD, "-D", "-f", str(folder / "config"), "-E", str(folder / "log")]
        self.process = subprocess.Popen(command, start_new_session=True)
        self._wait()

    def force(self, command: str) -> None:
        """What the visitor's key runs, whatever is asked for."""
        owner, visitor = ((self.folder / f"{n}.pub").read_text() for n in ("owner", "visitor"))
        line = f'command="{command}",restrict,pty {visitor}'
        (self.folder / "authorized_keys").write_text(owner + line)

    def command(self, key: str = "owner", *options: str) -> list[str]:
        """The client, up to the command to run."""
        known = ["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"]
        names = "COLORTERM LC_* MACRO_TUI_* TEXTUAL_* TMPDIR XDG_*"
        send = ["-o", "LogLevel=ERROR", "-o", f"SendEnv={names}"]
        who = ["-F", "none", "-i", str(self.folder / key), "-o", "IdentitiesOnly=yes"]
        return ["ssh", *who, "-p", str(self.port), *known, *send, *options, "127.0.0.1"]

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    def _wait(self) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            assert self.process.poll() is None, (self.folder / "log").read_text()
            with socket.socket() as trial:
                if trial.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError((self.folder / "log").read_text())


PROGRAM = f"{sys.executable} -m macro_tui"  # as it is typed at the other end
