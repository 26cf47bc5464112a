"""Checks the terminal and the machine, and says how to fix what is wrong."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from macro_engine.core.cache_folder import UnusableError, cache_folder
from macro_engine.core.cache_notes import is_whole, kept_files
from macro_engine.core.escape import visible
from macro_engine.core.extras import extras, how_to_install
from macro_engine.core.format import count_text, size_text
from macro_tui.characters import given_environment, is_ascii_terminal, locale_of, needs_ascii
from macro_tui.replays import shipped_replays
from macro_tui.versions import installed, versions

State = Literal["ok", "odd", "bad"]
_SHIPPED = 7
_LEAST_WIDTH, _LEAST_HEIGHT = 80, 24
_ROOM = 500_000_000  # bytes that a long run may need
_CACHE_ROOM = 10_000_000  # bytes that all compiled loops may need
_NETWORK = ("nfs", "cifs", "smb", "fuse.sshfs", "9p", "afs", "ceph", "glusterfs")
_MOUNTS = Path("/proc/mounts")


@dataclass(frozen=True)
class Finding:
    """A check: its name, its state, what it found and how to fix it."""

    state: State
    what: str
    found: str
    cure: str = ""


def check_up(environment: Mapping[str, str], is_terminal: bool) -> Iterator[Finding]:
    """Runs all checks in turn."""
    yield from _packages()
    if is_terminal:
        yield from _terminal(environment)
    else:
        yield Finding(
            "odd",
            "terminal",
            "standard output is not a terminal",
            "run macro-tui doctor in a terminal to have it checked; --headless needs none",
        )
    yield _characters()
    yield from _folders()
    yield _cache()
    yield from _extras()


def _packages() -> Iterator[Finding]:
    missing = [name for name, number in versions().items() if not number]
    if missing:
        yield Finding("bad", "packages", f"missing: {', '.join(missing)}", "reinstall macro-tui")
    else:
        yield Finding("ok", "packages", "all that it needs is installed (--version lists them)")
    found = len(shipped_replays())
    if found >= _SHIPPED:
        yield Finding("ok", "replays", f"{found} shipped recordings")
    else:
        yield Finding("bad", "replays", f"{found} of {_SHIPPED}", "reinstall macro-tui")


def _terminal(environment: Mapping[str, str]) -> Iterator[Finding]:
    term = environment.get("TERM", "")
    if term in ("", "dumb", "unknown"):
        yield Finding(
            "bad", "terminal", f"TERM is '{visible(term)}'", "set TERM, as in: export TERM=xterm"
        )
    else:
        inside = [name for name in ("TMUX", "STY", "SSH_CONNECTION") if environment.get(name)]
        words = {"TMUX": "in tmux", "STY": "in screen", "SSH_CONNECTION": "over SSH"}
        yield Finding(
            "ok", "terminal", ", ".join([visible(term, 40), *(words[name] for name in inside)])
        )
    yield _size()
    yield _colours(environment)


def _size() -> Finding:
    width, height = shutil.get_terminal_size()
    if width >= _LEAST_WIDTH and height >= _LEAST_HEIGHT:
        return Finding("ok", "size", f"{width}x{height}")
    return Finding(
        "odd", "size", f"{width}x{height}", "make it 80x24 or larger: smaller ones show less"
    )


def _colours(environment: Mapping[str, str]) -> Finding:
    if environment.get("NO_COLOR"):
        return Finding("ok", "colours", "none, because NO_COLOR is set")
    many = environment.get("COLORTERM") in ("truecolor", "24bit")
    found = "full" if many else "256" if "256" in environment.get("TERM", "") else "16"
    return Finding("ok", "colours", f"{found}; the 16 of the terminal are used, T changes that")


def _characters() -> Finding:
    """By the rule that screens go by."""
    what, keep = "characters", "screens keep to ASCII"
    if not needs_ascii():
        return Finding("ok", what, "UTF-8")
    environment = given_environment()
    if is_ascii_terminal(environment):
        term = visible(environment["TERM"], 40)
        return Finding("ok", what, f"{keep}: a terminal of the kind '{term}' has no others")
    encoding = (getattr(sys.__stdout__, "encoding", None) or "unknown").lower()
    locale = visible(locale_of(environment), 40)
    found = f"the locale is '{locale}'" if locale else encoding
    return Finding(
        "odd", what, f"{found}: {keep}", "for finer charts set a locale such as LC_ALL=C.UTF-8"
    )


def _folders() -> Iterator[Finding]:
    yield _folder(
        "working folder", Path, "s, x and --run files cannot be written here: cd elsewhere"
    )
    yield _folder("temporary", _temporary, "set TMPDIR to a folder that can be written")


def _temporary() -> Path:
    return Path(tempfile.gettempdir())


def _folder(what: str, find: Callable[[], Path], cure: str) -> Finding:
    try:
        place = find().absolute()
        free = shutil.disk_usage(place).free
    except OSError as error:
        return Finding("bad", what, visible(str(error), 200), cure)
    if not os.access(place, os.W_OK | os.X_OK):
        return Finding("odd", what, f"{visible(place)} cannot be written", cure)
    room = f"{visible(place)}, {size_text(free)} free"
    if free < _ROOM:
        return Finding("odd", what, room, "make room: a run of weeks may need 0.5 GB")
    if (kind := _file_system(place)).startswith(_NETWORK):
        return Finding(
            "odd", what, f"{room}, on {kind}", "run files need a local disk: name one with --run"
        )
    return Finding("ok", what, room)


def _file_system(place: Path) -> str:
    """The kind of file system a folder is on; empty where that cannot be told."""
    try:
        lines = _MOUNTS.read_text().splitlines()
    except OSError:
        return ""
    mounts = [(Path(words[1]), words[2]) for line in lines if len(words := line.split()) > 2]
    over = [mount for mount in mounts if place.is_relative_to(mount[0])]
    return max(over, key=lambda mount: len(mount[0].parts), default=(place, ""))[1]


def _cache() -> Finding:
    try:
        folder = cache_folder()
    except UnusableError as error:
        return Finding(
            "odd",
            "compiled loops",
            visible(str(error), 200),
            "each run compiles them again; to keep them, set XDG_CACHE_HOME to a folder of yours",
        )
    what, place = "compiled loops", visible(folder)
    kept = kept_files(folder)
    damaged = sum(not _can_be_used(path) for path in kept)
    if damaged:
        return Finding(
            "odd",
            what,
            f"{count_text(damaged, 'damaged file')} in {place}",
            "nothing needs to be done: the run that needs them compiles them again",
        )
    if (free := shutil.disk_usage(folder).free) < _CACHE_ROOM:
        return Finding(
            "odd",
            what,
            f"{place} has {size_text(free)} left",
            "make room, or set XDG_CACHE_HOME: loops that do not fit are compiled every time",
        )
    if kept:
        return Finding("ok", what, f"in {place}")
    return Finding("ok", what, "none yet: the first run compiles them beside it")


def _can_be_used(path: Path) -> bool:
    try:
        return is_whole(path)
    except OSError:  # another process has put it aside
        return True


def _extras() -> Iterator[Finding]:
    for extra, needed in sorted(extras().items()):
        missing = [name for name in needed if not installed(name)]
        if missing:
            cure = f"only if you want it: {how_to_install(extra)}"
            yield Finding("ok", f"extra {extra}", "not installed", cure)
        else:
            found = ", ".join(f"{_bare(name)} {installed(name)}" for name in needed)
            yield Finding("ok", f"extra {extra}", found)


def _bare(requirement: str) -> str:
    return requirement.split("<")[0].split(">")[0].split("=")[0].split("[")[0]
