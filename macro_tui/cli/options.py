"""Options that several commands share."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.core.output_path import check_output, check_suffix, input_paths, resolve_output
from macro_engine.options.table import MACRO, OPTIONS, PRESETS, STREAM
from macro_tui.replays import find_recording

if TYPE_CHECKING:
    from macro_engine.options.settings import Layer
    from macro_engine.run.store.retention import Retention
    from macro_engine.stream.opening import Opened, PartlyOpened


_SWITCH: dict[str, Any] = {"action": "store_const", "const": True}


def add_stream_arguments(parser: argparse.ArgumentParser) -> None:
    """The recordings to read, and every setting of a run."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="Parquet, Arrow, CSV or JSON lines (also .gz .bz2 .xz .zst), in order; a bare name "
        "may be a shipped replay",
    )
    add_settings(parser)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Every setting of a run."""
    parser.add_argument(
        "--config", type=Path, metavar="TOML", help="settings; default: NAME.toml beside the data"
    )
    parser.add_argument(
        "--preset",
        choices=PRESETS,
        metavar="NAME",
        help=f"the settings of an experiment: {', '.join(PRESETS)}; options override a preset, a "
        "preset overrides files",
    )
    groups = {title: parser.add_argument_group(title) for title in (STREAM, MACRO)}
    for option in OPTIONS.values():
        if option.on_command_line:
            default = "" if option.default is None else f"; default {option.default}"
            takes = {"metavar": option.metavar} if option.takes_value else _SWITCH
            groups[option.group].add_argument(
                option.flag, dest=option.name, help=option.help + default, **takes
            )


def begin_from(arguments: argparse.Namespace, is_shown_only: bool = False) -> PartlyOpened:
    """The stream that the arguments ask for, with questions if there are any."""
    from macro_engine.stream.opening import begin_stream
    from macro_engine.stream.recording import RecordingOrigin

    paths = [find_recording(name) for name in arguments.files]
    recorded = RecordingOrigin(paths, is_shown_only)
    return begin_stream(recorded, layers_from(arguments), arguments.config)


def open_from(arguments: argparse.Namespace) -> Opened:
    """The stream that the arguments ask for."""
    return begin_from(arguments).complete()


def layers_from(arguments: argparse.Namespace) -> list[Layer]:
    """The settings that the command line gives, and those of the preset it names."""
    from macro_engine.options.presets import preset
    from macro_engine.options.settings import Layer
    from macro_engine.stream.opening import COMMAND_LINE

    given = {
        name: value for name in OPTIONS if (value := getattr(arguments, name, None)) is not None
    }
    layers = [Layer.read(COMMAND_LINE, given, of_user=True)]
    if arguments.preset is not None:
        layers.append(preset(arguments.preset))
    return layers


def add_outputs(parser: argparse.ArgumentParser, when: str) -> None:
    """The outputs of a run; `when` says when the tables are written."""
    output = parser.add_argument_group("output")
    output.add_argument(
        "--headless", action="store_true", help="no screen: progress and summary on standard error"
    )
    output.add_argument(
        "--json", action="store_true", help="the results as one document on standard output"
    )
    output.add_argument(
        "--predictions",
        type=Path,
        metavar="FILE",
        help=f"write a record for each row (.parquet or .csv){when}",
    )
    output.add_argument(
        "--trace",
        type=Path,
        metavar="FILE",
        help=f"write a record for each step and threshold (.parquet or .csv){when}",
    )
    output.add_argument(
        "--emit",
        metavar="FILE|-",
        help="append each prediction as it is made (.jsonl or .csv; -: JSON lines on standard "
        "output)",
    )
    output.add_argument(
        "--emit-outcomes", action="store_true", help="also append each label when it is known"
    )
    output.add_argument(
        "--run",
        type=Path,
        metavar="FILE.run",
        dest="run_file",
        help="record the run; the same command resumes it",
    )
    output.add_argument(
        "--keep",
        metavar="30d|10GB",
        help="limit the run file by age (s m h d) or size (kB MB GB TB): it drops the oldest "
        "records; default: keep everything",
    )


def check_outputs(arguments: argparse.Namespace, inputs: Iterable[Path]) -> None:
    """Refuses output files that cannot be written, are inputs, or are named twice."""
    from macro_engine.run.outputs import FORMATS

    used = input_paths(inputs)
    for option in ("predictions", "trace"):
        path = getattr(arguments, option)
        if path is not None:
            check_suffix(path, f"--{option}", FORMATS)
            check_output(path, f"--{option}", used)
            used[resolve_output(path)] = f"is written by --{option} already"
    _check_emit(arguments, used)
    keep_of(arguments)  # so that what is wrong with it is said at once
    if arguments.run_file is not None:
        check_output(arguments.run_file, "--run", used)


def _check_emit(arguments: argparse.Namespace, used: dict[Path, str]) -> None:
    from macro_engine.run.emit.emission import FORMATS, STANDARD_OUTPUT

    emit = arguments.emit
    if emit is None:
        if arguments.emit_outcomes:
            raise UsageError("--emit-outcomes: name a file for the predictions with --emit")
        return
    if emit != STANDARD_OUTPUT:
        path = Path(emit)
        check_suffix(path, "--emit", FORMATS, "; - is standard output")
        check_output(path, "--emit", used)
        used[resolve_output(path)] = "is written by --emit already"
        return
    if arguments.json:
        raise UsageError("--emit -: --json writes to standard output too; leave one out")
    if not arguments.headless and sys.stdout.isatty():
        raise UsageError("--emit -: the screen is on standard output; add --headless")


def keep_of(arguments: argparse.Namespace) -> Retention | None:
    """How much of the run the file keeps; None for all of it."""
    from macro_engine.run.store.retention import Retention

    if arguments.keep is None:
        return None
    if arguments.run_file is None:
        raise UsageError("--keep says how much a run file keeps; name one with --run FILE.run")
    return Retention.parse(arguments.keep)


def length_of(option: str, text: str) -> float:
    """A length of time such as 30s, in seconds."""
    from macro_engine.stream.spec import StepLength

    try:
        length = StepLength.parse(text).microseconds
    except ValueError:
        length = None
    if length is None:
        raise UsageError(
            f"{option} '{visible(text)}' is not a length of time; write 30s (ms s m h d)"
        )
    return length / 1e6


def end_at_sigterm() -> None:
    """Handles SIGTERM like ctrl+c."""

    def interrupt(_signum: int, _frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
