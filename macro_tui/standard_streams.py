"""Handles closed standard streams (`>&-`), and opens the terminal for keys."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from macro_engine.core.errors import MacroError

_TERMINAL = "/dev/tty"
WEB_DRIVER = "textual.drivers.web_driver:WebDriver"  # what programs under textual-serve draw with


def fill_closed() -> None:
    """Replaces closed standard streams.

    Otherwise the next files that are opened get their descriptors, and their output. Who
    writes to standard output is told that it is closed; what is said on standard error is lost.
    """
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)
    if sys.stdout is None:
        sys.stdout = _writer(os.open(os.devnull, os.O_RDONLY))  # so that writing fails
    if sys.stderr is None:
        sys.stderr = _writer(os.open(os.devnull, os.O_WRONLY))


def drop_debugging() -> None:
    """Removes the variables by which Textual would log, take screenshots or load code.

    They may come over SSH from a visitor, and are read when Textual is imported.
    """
    kept = {"TEXTUAL_FPS", "TEXTUAL_COLOR_SYSTEM", *(["TEXTUAL_DRIVER"] if is_served() else [])}
    for name in [name for name in os.environ if name.startswith("TEXTUAL")]:
        if name not in kept:
            del os.environ[name]


def is_served() -> bool:
    """Whether a browser shows what is drawn, by `macro-tui serve`."""
    return os.environ.get("TEXTUAL_DRIVER") == WEB_DRIVER


def has_screen() -> bool:
    """Whether there is something to draw on."""
    return sys.stdout.isatty() or is_served()


def need_keys() -> None:
    """Make sure that keys can be read; raises MacroError where there is no terminal for them."""
    if is_served():
        return
    if sys.stdin is None or not sys.stdin.isatty():
        os.close(keys_from_terminal())


def keys_from_terminal() -> int:
    """Makes the terminal standard input; returns a descriptor of what was standard input."""
    try:
        terminal = os.open(_TERMINAL, os.O_RDWR)
    except OSError as error:
        raise MacroError(f"there is no terminal for keys ({_TERMINAL}: {error.strerror})") from None
    rows = os.dup(0)
    os.dup2(terminal, 0)
    os.close(terminal)
    if sys.stdin is None:
        sys.stdin = sys.__stdin__ = open(0, closefd=False)  # type: ignore[misc]  # noqa: SIM115
    return rows


def _writer(descriptor: int) -> TextIO:
    return open(descriptor, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
