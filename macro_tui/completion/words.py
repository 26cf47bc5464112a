"""The words of the command line as plain data: commands, options and their values."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_NAME = r"[a-z][a-z\d-]+"


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
    name: str,
    what: str,
    parser: argparse.ArgumentParser,
    words: Iterable[str] = (),
    values: Mapping[str, Sequence[str]] | None = None,
) -> TypedCommand:
    """What a parser takes; `values` are those of options that no help lists, by flag."""
    options: dict[str, TypedOption] = {}
    first = list(words)
    for action in _actions(parser):
        if not action.option_strings:
            first += [str(choice) for choice in action.choices or ()]
        elif action.option_strings[0] not in options:
            option = _typed_option(action, values or {})
            options[option.flags[0]] = option
    return TypedCommand(name, what, tuple(options.values()), tuple(first))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """All actions, those of the parts of a command too, as in `reproduce airline`."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for part in action.choices.values():
                yield from (found for found in _actions(part) if found.option_strings)


def _typed_option(action: argparse.Action, values: Mapping[str, Sequence[str]]) -> TypedOption:
    flags, help_text = tuple(action.option_strings), plain(action.help or "")
    if action.nargs == 0:
        return TypedOption(flags, help_text, None, is_file=False)
    found = tuple(map(str, action.choices or values.get(flags[0], ())))
    found = found or _either(str(action.metavar)) or _listed(help_text)
    is_file = re.search("FILE|TOML|DIR|RUN|csv", str(action.metavar)) is not None
    return TypedOption(flags, help_text, found, is_file)


def plain(text: str) -> str:
    """A help text as it is shown: percent signs once, nothing that a shell might take for its own.

    >>> plain("'blend > 25%%' `x` [y]: a\\nb")
    'blend > 25% x (y), a b'
    """
    text = " ".join(text.replace("%%", "%").split())
    for found, put in (("'", ""), ('"', ""), ("`", ""), ("[", "("), ("]", ")"), (":", ",")):
        text = text.replace(found, put)
    return text.replace("\\", "").replace("$", "")


def _either(metavar: str) -> tuple[str, ...]:
    """The words among what a metavar names.

    >>> _either("on|off"), _either("sqrt|NUMBER"), _either("COL|RULE")
    (('on', 'off'), ('sqrt',), ())
    """
    words = metavar.split("|")
    return tuple(word for word in words if len(words) > 1 and re.fullmatch("[a-z]{2,}", word))


def _listed(help_text: str) -> tuple[str, ...]:
    """Names that a help text lists.

    >>> _listed("features, labels; default labels"), _listed("whose it is, ftl, ewa or blend")
    (('features', 'labels'), ('ftl', 'ewa', 'blend'))
    >>> _listed("numeric columns, in order"), _listed("such as ansi-dark, nord")
    ((), ())
    """
    names = re.split(r",\s*| or ", help_text.partition(";")[0])
    while names and not re.fullmatch(_NAME, names[0]):
        names = names[1:]
    is_list = len(names) > 1 and all(re.fullmatch(_NAME, name) for name in names)
    return tuple(names) if is_list else ()
