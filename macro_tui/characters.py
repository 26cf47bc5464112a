"""Whether the terminal can show Unicode, by its environment."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Mapping
from pathlib import Path

_ASCII_TERMINALS = ("linux", "vt52", "vt100", "vt102", "vt220", "vt320", "dumb", "ansi", "cons25")
_COERCED = ("C.UTF-8", "C.utf8", "UTF-8")  # what Python sets LC_CTYPE to where the locale is C
_AT_START = Path("/proc/self/environ")


def needs_ascii() -> bool:
    """Whether the terminal, or the locale, cannot show characters beyond ASCII."""
    encoding = getattr(sys.__stdout__, "encoding", None) or "utf-8"
    return is_ascii_only(given_environment(), encoding)


def is_ascii_only(environment: Mapping[str, str], encoding: str = "utf-8") -> bool:
    """The same of an environment; one that names no locale at all is taken for a modern one.

    >>> is_ascii_only({"TERM": "linux", "LANG": "C.UTF-8"}), is_ascii_only({"TERM": "xterm"})
    (True, False)
    >>> is_ascii_only({"LC_ALL": "C"}), is_ascii_only({"LANG": "de_DE.ISO-8859-1"})
    (True, True)
    """
    if is_ascii_terminal(environment) or not _is_utf_8(encoding):
        return True
    locale = locale_of(environment) or "C.UTF-8"
    _, dot, codeset = locale.partition("@")[0].rpartition(".")
    if dot or locale.upper() == "UTF-8":
        return not _is_utf_8(codeset)
    return locale in ("C", "POSIX")  # of other names nobody can tell: de_DE may be either


def is_ascii_terminal(environment: Mapping[str, str]) -> bool:
    """Whether TERM names a terminal that has no other characters."""
    return environment.get("TERM", "").split("-")[0] in _ASCII_TERMINALS


def locale_of(environment: Mapping[str, str]) -> str:
    """The locale that an environment names; empty if it names none."""
    names = (environment.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    return next((name for name in names if name), "")


def _is_utf_8(name: str) -> bool:
    try:
        return codecs.lookup(name).name == "utf-8"
    except LookupError:
        return False


def given_environment() -> dict[str, str]:
    """The environment without what Python itself has made of the locale."""
    found = dict(os.environ)
    if found.get("LC_CTYPE") in _COERCED and not found.get("LC_ALL"):
        try:
            at_start = _AT_START.read_bytes().split(b"\0")
        except OSError:
            return found
        if not any(line.startswith(b"LC_CTYPE=") for line in at_start):
            del found["LC_CTYPE"]
    return found
