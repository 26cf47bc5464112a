"""Optional packages, and the command that installs them in this environment."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires
from importlib.util import find_spec
from os import environ
from pathlib import Path

DISTRIBUTION = "macro-tui"
FOR_DEVELOPERS = ("test", "lint")
_OF_EXTRA = re.compile(r"""(?P<needed>[^;]+);\s*extra\s*==\s*['"](?P<extra>[^'"]+)['"]\s*""")


def extras() -> dict[str, list[str]]:
    """The packages that each extra brings, as requirements; those for developers are left out."""
    found: dict[str, list[str]] = {}
    for extra, needed in _requirements():
        if extra not in FOR_DEVELOPERS:
            found.setdefault(extra, []).append(needed)
    return found


def how_to_install(extra: str) -> str:
    """The command that brings an extra into the environment that runs this program.

    It names the packages themselves: wherever this program came from, an index has those.
    """
    needed = extras().get(extra) or [f"{DISTRIBUTION}[{extra}]"]
    words = " ".join(map(shlex.quote, needed))
    prefix = Path(sys.prefix)
    if (prefix / "pipx_metadata.json").exists():
        return f"pipx inject {DISTRIBUTION} {words}"
    if any(part.startswith(("archive-v", "environments-v")) for part in prefix.parts):
        added = " ".join(f"--with {shlex.quote(name)}" for name in needed)
        return f"uvx {added} and the rest of the command as before"
    if (prefix / "uv-receipt.toml").exists() or find_spec("pip") is None:
        return f"uv pip install --python {shlex.quote(sys.executable)} {words}"
    if environ.get("VIRTUAL_ENV") == sys.prefix:
        return f"pip install {words}"
    return f"{shlex.quote(sys.executable)} -m pip install {words}"


def _requirements() -> Iterator[tuple[str, str]]:
    try:
        declared = set(metadata(DISTRIBUTION).get_all("Provides-Extra") or [])
        lines = requires(DISTRIBUTION) or []
    except PackageNotFoundError:  # it runs from a folder of sources
        return
    for line in lines:
        match = _OF_EXTRA.fullmatch(line)
        if match is not None and match["extra"] in declared:
            yield match["extra"], match["needed"].strip()
