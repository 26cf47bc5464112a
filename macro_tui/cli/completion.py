"""`macro-tui completion`: prints a completion script for a shell."""

from __future__ import annotations

import argparse

from macro_tui.completion.shells import SHELLS
from macro_tui.completion.words import plain, typed_command

EXAMPLES = (
    'eval "$(macro-tui completion bash)"',
    "macro-tui completion fish > ~/.config/fish/completions/macro-tui.fish",
)
_TAKES_REPLAYS = ("replay", "feed", "fleet", "inspect")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="bash, zsh or fish")


def run(arguments: argparse.Namespace) -> int:
    from macro_tui.cli import COMMANDS, parser_of_command
    from macro_tui.cli.demo import AIRPORTS
    from macro_tui.cli.screen import THEMES
    from macro_tui.replays import shipped_replays

    values = {
        "--theme": THEMES,
        "--airport": AIRPORTS,
        "--airports": AIRPORTS,
        "--subroutine": ("logistic", "nearest-mean", "erm", "vw"),
        "--speed": ("max",),
        "--strategies": ("ftl", "ewa", "blend"),
    }
    replays = [path.name for path in shipped_replays()]
    commands = [
        typed_command(
            name,
            plain(what),
            parser_of_command(name),
            replays if name in _TAKES_REPLAYS else (),
            values,
        )
        for name, what in COMMANDS.items()
    ]
    print(SHELLS[arguments.shell](commands), end="")
    return 0
