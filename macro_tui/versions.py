"""The versions of this program and its dependencies."""

from __future__ import annotations

import platform
import re
import sys
from importlib.metadata import PackageNotFoundError, requires, version

from macro_engine import __version__
from macro_engine.core.extras import DISTRIBUTION

_NAME = re.compile(r"[A-Za-z0-9._-]+")


def versions() -> dict[str, str]:
    """The installed version of each required package."""
    try:
        needed = [line for line in requires(DISTRIBUTION) or [] if ";" not in line]
    except PackageNotFoundError:  # it runs from a folder of sources
        needed = []
    return {name: installed(name) for name in sorted(map(_name_of, needed))}


def installed(package: str) -> str:
    """The version of a package; empty where it is not there."""
    try:
        return version(_name_of(package))
    except PackageNotFoundError:
        return ""


def versions_text() -> str:
    found = ", ".join(f"{name} {number or 'missing'}" for name, number in versions().items())
    machine = f"{platform.system()} {platform.machine()}"
    return f"macro-tui {__version__}\nPython {sys.version.split()[0]} on {machine}\n{found}"


def _name_of(requirement: str) -> str:
    match = _NAME.match(requirement)
    return requirement if match is None else match[0]
