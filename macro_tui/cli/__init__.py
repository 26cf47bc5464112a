"""The command line. Each command's module is loaded when that command runs."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from macro_engine import __version__
from macro_engine.errors import MacroError

COMMANDS = {
    "replay": "run MACRO over a recording",
    "prepare": "make a recording from the files of a public data set",
    "inspect": "show what would be read from a recording, and how",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0 done, 1 failed, 2 bad usage, 130 interrupted."""
    if sys.platform == "win32":
        print("macro-tui runs on Linux and macOS; on Windows use WSL", file=sys.stderr)
        return 1
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(
        prog="macro-tui", description="A monitor for streams in which the right model changes."
    )
    parser.add_argument("--version", action="version", version=f"macro-tui {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    chosen = next((a for a in arguments if not a.startswith("-")), None)
    for name, what in COMMANDS.items():
        command = commands.add_parser(name, help=what, description=f"{what.capitalize()}.")
        if name == chosen:
            module = importlib.import_module(f"macro_tui.cli.{name}")
            module.add_arguments(command)
            command.set_defaults(run=module.run)
    parsed = parser.parse_args(arguments)
    try:
        return int(parsed.run(parsed))
    except MacroError as error:
        print(f"macro-tui {parsed.command}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"macro-tui {parsed.command}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # whoever read our output has gone; nothing more can be written, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
