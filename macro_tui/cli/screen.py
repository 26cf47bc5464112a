"""Options of the commands that open the monitor."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible

if TYPE_CHECKING:
    from macro_engine.run.engine import Engine
    from macro_tui.app import Options

_SWITCH_SECONDS = 0.0005


def add_screen_arguments(parser: argparse.ArgumentParser) -> None:
    screen = parser.add_argument_group("screen")
    screen.add_argument(
        "--alarm",
        action="append",
        default=[],
        metavar="RULE",
        help="such as 'ftl > marginal for 2h', 'ftl > 0.25', 'birth', 'no rows for 10m', "
        "'no step for 1h'",
    )
    screen.add_argument("--theme", metavar="NAME", help="such as ansi-dark, ansi-light, nord")
    screen.add_argument(
        "--low-bandwidth", action="store_true", help="a frame a second, for thin links"
    )
    screen.add_argument("--ascii", action="store_true", help="no characters beyond ASCII")


def give_way_to_keys(engine: Engine) -> None:
    """Switches threads more often where the engine runs in Python, so that keys are answered."""
    if engine.pipeline.path == "general":
        sys.setswitchinterval(_SWITCH_SECONDS)


def options_of(arguments: argparse.Namespace, name: str, readonly: bool = False) -> Options:
    """The options of the monitor; `name` is the title of the run."""
    from textual.theme import BUILTIN_THEMES

    from macro_engine.run.alarms import parse
    from macro_tui.app import Options

    if arguments.theme not in (None, *BUILTIN_THEMES):
        themes = ", ".join(BUILTIN_THEMES)
        raise UsageError(f"--theme '{visible(arguments.theme)}' is unknown; one of: {themes}")
    return Options(
        name,
        arguments.ascii,
        arguments.low_bandwidth,
        arguments.theme,
        tuple(parse(rule) for rule in arguments.alarm),
        readonly,
    )
