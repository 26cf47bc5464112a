"""The command line. Each command's module is imported when that command runs."""

from __future__ import annotations

import argparse
import atexit
import gc
import importlib
import os
import sys
from collections.abc import Sequence
from errno import EBADF
from typing import Any, NoReturn

from macro_engine.core.did_you_mean import did_you_mean
from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_tui.standard_streams import fill_closed

COMMANDS = {
    "demo": "play a stormy week at an airport as a live feed, with a guided tour",
    "replay": "run MACRO over a recording",
    "tail": "run MACRO over a growing CSV or standard input",
    "feed": "play a recording into a growing CSV, for practice",
    "prepare": "make a recording from the files of a public data set",
    "reproduce": "recompute the paper's tables and compare them with its figures",
    "bench": "measure speed, as ratios to River in the same run",
    "inspect": "show how a recording would be read: columns, label, settings",
    "watch": "watch a run of another process, or look at a finished one",
    "wall": "watch many runs on one screen",
    "fleet": "run MACRO over many streams at once, with a run file for each",
    "serve": "show a run or a folder of runs in a browser on this machine, read-only",
    "export": "write the contents of a run file as tables",
    "runs": "list the run files of a folder and their states",
    "doctor": "check this terminal and this machine, and say how to fix what is wrong",
    "completion": "print a completion script for bash, zsh or fish",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; the exit code is 0 done, 1 failed, 2 bad usage, 130 interrupted."""
    if sys.platform == "win32":
        print("macro-tui runs on Linux and macOS; on Windows use WSL", file=sys.stderr)
        return 1
    fill_closed()
    # what the libraries make at the start stays: looking for garbage in it, over and over and once
    # more at the end, takes a third of a short command's time
    gc.set_threshold(10_000)
    atexit.register(gc.freeze)
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    if not arguments:
        return _show_overview()
    name = next((a for a in arguments if not a.startswith("-")), "")
    try:
        code = _run(name, arguments)
        sys.stdout.flush()
    except MacroError as error:
        print(f"macro-tui {visible(name)}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print(f"macro-tui {name}: interrupted", file=sys.stderr)
        return 130
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            why = "standard output is closed" if error.errno == EBADF else error.strerror
            # one without a number is a library's: no memory to load it, say
            said = f"cannot write: {why}" if error.errno else visible(error, limit=300)
            print(f"{f'macro-tui {name}'.strip()}: {said}", file=sys.stderr)
        # nothing more can be written to standard output, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _show_overview() -> int:
    from macro_tui.cli.overview import overview

    print(overview(COMMANDS))
    return 0


def _run(name: str, arguments: Sequence[str]) -> int:
    if name and name not in COMMANDS:
        hint = did_you_mean(name, COMMANDS, otherwise=".")
        raise UsageError(f"is not a command{hint} There are {', '.join(COMMANDS)}")
    try:
        parsed = parser_of(name).parse_args(arguments)
    except SystemExit as left:  # it was asked for help, or did not understand
        return int(left.code or 0)
    return int(parsed.run(parsed))


class _Parser(argparse.ArgumentParser):
    """Answers a mistake in one line that says what to do."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Like the inherited one; but what is not known ends here, where the options are known."""
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            word = unknown[0].partition("=")[0]
            hint = did_you_mean(word, self._option_string_actions)
            self.error(f"'{visible(word)}' is unknown{hint}")
        return parsed, unknown


def parser_of(chosen: str) -> argparse.ArgumentParser:
    """The parser, with the arguments of the chosen command only."""
    parser = _Parser(
        prog="macro-tui",
        description="A monitor for streams in which the right model changes.",
        epilog="for example: macro-tui demo",
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="show version numbers, dependencies included"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, what in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=what,
            description=f"{what[0].upper()}{what[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == chosen:
            _fill(command, name)
    return parser


def parser_of_command(name: str) -> argparse.ArgumentParser:
    """The parser of one command by itself."""
    parser = _Parser(prog=f"macro-tui {name}")
    _fill(parser, name)
    return parser


def _fill(parser: argparse.ArgumentParser, name: str) -> None:
    """Gives a parser the arguments of a command, and its examples."""
    module = importlib.import_module(f"macro_tui.cli.{name}")
    module.add_arguments(parser)
    parser.epilog = "\n".join(["for example:", *(f"  {line}" for line in module.EXAMPLES)])
    parser.set_defaults(run=module.run)


class _Version(argparse.Action):
    """Prints the versions when it is asked for, and not before: they take a moment to find."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from macro_tui.versions import versions_text

        print(versions_text())
        parser.exit()
