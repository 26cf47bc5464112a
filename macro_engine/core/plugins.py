"""Loads packages that add distances, learners, strategies and sources.

A package names its modules in the entry-point group `macro_tui.plugins`. A module registers what it
has when it is imported, which happens when the options of a run are read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from typing import TYPE_CHECKING

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "macro_tui.plugins"


@cache
def load() -> tuple[str, ...]:
    """Import every plugin, once; a line about each one that cannot be imported."""
    from importlib.metadata import entry_points

    with redirect_stdout(sys.stderr):  # what one prints must not spoil a document
        lines = [_failure_of(entry) for entry in sorted(entry_points(group=GROUP))]
    return tuple(line for line in lines if line)


def _failure_of(entry: EntryPoint) -> str:
    try:
        entry.load()
    except (Exception, SystemExit) as error:
        package = entry.dist.name if entry.dist is not None else "?"
        return (
            f"the plugin '{visible(entry.name)}' of the package '{visible(package)}' cannot be "
            f"loaded: {type(error).__name__}: {visible(error, 200)}"
        )
    return ""


def with_failures(text: str) -> str:
    """A sentence about an unknown name, with the plugins that might have known it."""
    return "; ".join([text, *load()])


def is_own(thing: object) -> bool:
    """Whether a function, a class or an instance comes from this program.

    >>> from macro_engine.core.errors import MacroError
    >>> is_own(MacroError), is_own(load), is_own(MacroError("no")), is_own(sorted)
    (True, True, True, False)
    """
    return str(thing.__module__).startswith("macro_engine.")


def expect(found: object, kind: type, what: str) -> None:
    """Refuse what is not of a kind; `what` says who gave it.

    >>> expect(3, int, "the source wave: its count")
    """
    if not isinstance(found, kind):
        given = type(found).__name__
        raise MacroError(f"{what} is a {given}, where a {kind.__name__} is expected")


def failure(what: str, error: BaseException) -> MacroError:
    """An error in code of the user's choice, in one line."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = f"{last.tb_frame.f_code.co_filename}, line {last.tb_lineno}" if last else "?"
    return MacroError(
        f"{what}: {type(error).__name__}: {visible(error, 200)} ({visible(where, 200)})"
    )


@contextmanager
def failing_in_words(thing: object, what: str) -> Iterator[None]:
    """Rewords errors of code that is not this program's own; its own errors pass through."""
    try:
        yield
    except MacroError:
        raise
    except Exception as error:
        if is_own(thing):
            raise
        raise failure(f"{what} failed", error) from error
