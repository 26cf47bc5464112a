"""Options of the commands that open the monitor."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_tui.characters import needs_ascii
from macro_tui.cli.alarms import add_alarm_arguments, command_of, rules_of
from macro_tui.standard_streams import drop_debugging

if TYPE_CHECKING:
    from macro_engine.run.engine import Engine
    from macro_tui.app import Options

_SWITCH_SECONDS = 0.0005
THEMES = (  # of Textual's those that shells complete; to ask it takes 0.2 s
    "ansi-dark",
    "ansi-light",
    "textual-dark",
    "textual-light",
    "nord",
    "gruvbox",
    "dracula",
    "monokai",
    "tokyo-night",
    "solarized-dark",
    "solarized-light",
)


def add_screen_arguments(parser: argparse.ArgumentParser) -> None:
    add_alarm_arguments(parser)
    screen = parser.add_argument_group("screen")
    screen.add_argument("--theme", metavar="NAME", help="such as ansi-dark, ansi-light, nord")
    screen.add_argument(
        "--low-bandwidth", action="store_true", help="one frame a second, for slow links"
    )
    screen.add_argument(
        "--ascii",
        action="store_true",
        help="draw with ASCII only; the default where the locale or TERM supports nothing else",
    )


def give_way_to_keys(engine: Engine) -> None:
    """Switches threads more often where the engine runs in Python, so that keys are answered."""
    if engine.pipeline.path == "general":
        sys.setswitchinterval(_SWITCH_SECONDS)


def options_of(
    arguments: argparse.Namespace,
    name: str,
    readonly: bool = False,
    runs: Sequence[Path] = (),
) -> Options:
    """The options of the monitor; `name` is the title of the run, `runs` may be named by alarms."""
    if readonly:
        drop_debugging()
    from macro_tui.app import Options

    check_theme(arguments)
    return Options(
        name,
        arguments.ascii or needs_ascii(),
        arguments.low_bandwidth,
        arguments.theme,
        rules_of(arguments, runs),
        readonly,
        command_of(arguments),
        arguments.fail_on_alarm,
    )


def check_theme(arguments: argparse.Namespace) -> None:
    """Refuses a theme that does not exist."""
    if arguments.theme is None:
        return
    from textual.theme import BUILTIN_THEMES

    if arguments.theme not in BUILTIN_THEMES:
        themes = ", ".join(BUILTIN_THEMES)
        raise UsageError(f"--theme '{visible(arguments.theme)}' is unknown; one of: {themes}")
