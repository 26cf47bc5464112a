"""`macro-tui inspect`: shows how a recording would be read, and the command to type."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.toml import to_toml
from macro_engine.options.table import OPTIONS
from macro_tui.cli.options import add_stream_arguments, begin_from
from macro_tui.replays import is_shipped

if TYPE_CHECKING:
    from macro_engine.stream.opening import PartlyOpened

_PROPOSALS = 3

EXAMPLES = (
    "macro-tui inspect flights.csv",
    "macro-tui inspect flights.csv --label 'delay > 15' --write",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_stream_arguments(parser)
    parser.add_argument(
        "--write", action="store_true", help="save the settings as NAME.toml beside the data"
    )


def run(arguments: argparse.Namespace) -> int:
    from macro_engine.subroutines import resolve
    from macro_tui.inspection import Inspection

    partly = begin_from(arguments, is_shown_only=True)
    resolve(partly.settings.get("subroutine") or OPTIONS["subroutine"].default)
    target = _target(partly) if arguments.write else None
    inspection = Inspection(partly)
    inspection.show(list(_commands(arguments, partly)))
    if target is not None:
        settings = inspection.settings()
        if settings.get("subroutine", "").startswith("python:"):
            del settings["subroutine"]
            print("not saved: subroutine (python:... is taken from the command line only)")
        try:
            target.write_text(to_toml(settings), "utf-8")
        except OSError as error:
            raise MacroError(f"{visible(target)} cannot be written: {error.strerror}") from None
        print(f"written: {visible(target)}")
    return 0


def _commands(arguments: argparse.Namespace, partly: PartlyOpened) -> Iterator[str]:
    """What runs the stream: the options that were typed, what was guessed, and what is asked."""
    from macro_engine.options.settings import INFERRED
    from macro_tui.inspection import ALL_ROWS

    words = ["macro-tui", "replay", *arguments.files]
    for name in ("config", "preset"):
        if (value := getattr(arguments, name)) is not None:
            words += [f"--{name}", str(value)]
    for name, option in OPTIONS.items():
        value = getattr(arguments, name, None)
        if value is None and name in ("time", "time_format", "label", "encoding"):
            value = (
                partly.settings.get(name) if partly.settings.origins.get(name) == INFERRED else None
            )
        if partly.settings.origins.get(name) == ALL_ROWS:
            value = ",".join(partly.settings.values[name])
        if value is not None:
            words += [option.flag, value] if option.takes_value else [option.flag]
    command, proposals = shlex.join(words), partly.guesses.proposals
    answers = {name: [_answer(name, v) for v in found] for name, found in proposals.items()}
    yield visible(" ".join([command, *(found[0] for found in answers.values())]), 4_000)
    for found in answers.values():
        for other in found[1:_PROPOSALS]:
            yield visible(f"   or, in place of {found[0]}: {other}", 4_000)


def _answer(name: str, value: str) -> str:
    return f"{OPTIONS[name].flag} {shlex.quote(value)}"


def _target(partly: PartlyOpened) -> Path:
    from macro_engine.stream.opening import toml_beside

    path = partly.origin.path
    if is_shipped(path):
        raise MacroError(
            f"{visible(path.name)} is a shipped replay and nothing is written beside it; copy it "
            "first"
        )
    target = toml_beside(path)
    if target.exists():
        raise MacroError(f"{visible(target)} exists already; move it away or edit it by hand")
    return target
