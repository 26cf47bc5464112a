"""Marks for tests that start a program of the system; `.ci/run` installs these programs.

Each skips with the name of the Debian package that holds what it needs.
"""

import os
import shutil

import pytest

_PLACES = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin"])


def _needs(program, package):
    return [
        pytest.mark.slow,
        pytest.mark.skipif(
            shutil.which(program, path=_PLACES) is None,
            reason=f"needs {program}: apt-get install {package}",
        ),
    ]


needs_tmux = _needs("tmux", "tmux")
needs_sshd = _needs("sshd", "openssh-server")
needs_chromium = _needs("chromium", "chromium")
needs_zsh = _needs("zsh", "zsh")
needs_fish = _needs("fish", "fish")
