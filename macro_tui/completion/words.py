"""What can be typed, as plain data: commands, their options, and what each option takes."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class TypedOption:
    """An option of a command.

    Attributes
    ----------
    values
        What it takes, where that is a list; None where it takes no value, empty for any text.
    is_file
        Whether it takes the name of a file.
    """

    flags: tuple[str, ...]
    help: str
    values: tuple[str, ...] | None
    is_file: bool


@dataclass(frozen=True)
class TypedCommand:
    """A command; `words` are those that its first argument may be, beside files."""

    name: str
    help: str
    options: tuple[TypedOption, ...]
    words: tuple[str, ...] = ()


def typed_command(
    name: str, what: str, parser: argparse.ArgumentParser, words: Iterable[str] = ()
) -> TypedCommand:
    """What a parser takes."""
    options, first = [], list(words)
    for action in parser._actions:
        if not action.option_strings:
            first += [str(choice) for choice in action.choices or ()]
            continue
        help_text = plain(action.help or "")
        takes_value = action.nargs != 0
        values = (
            tuple(map(str, action.choices or ())) or _listed(help_text) if takes_value else None
        )
        is_file = takes_value and re.search("FILE|TOML|DIR|RUN", str(action.metavar)) is not None
        options.append(TypedOption(tuple(action.option_strings), help_text, values, is_file))
    return TypedCommand(name, what, tuple(options), tuple(first))


def plain(text: str) -> str:
    """A help text as it is shown: percent signs once, nothing that a shell might take for its own.

    >>> plain("'blend > 25%%' `x` [y]: a\\nb")
    'blend > 25% x (y), a b'
    """
    text = " ".join(text.replace("%%", "%").split())
    for found, put in (("'", ""), ('"', ""), ("`", ""), ("[", "("), ("]", ")"), (":", ",")):
        text = text.replace(found, put)
    return text.replace("\\", "").replace("$", "")


def _listed(help_text: str) -> tuple[str, ...]:
    """Names that a help text lists and nothing else, as in `features, labels, frames`."""
    names = help_text.partition(";")[0].split(", ")
    is_list = len(names) > 1 and all(re.fullmatch(r"[a-z][a-z-]*", name) for name in names)
    return tuple(names) if is_list else ()
