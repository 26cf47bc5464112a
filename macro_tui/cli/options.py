"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from macro_engine.options import DESCRIPTIONS, PRESETS
from macro_tui.replays import find_recording

if TYPE_CHECKING:
    from macro_engine.opening import Opened


def add_stream_arguments(parser: argparse.ArgumentParser) -> None:
    """The recordings to read, and every setting of a run."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="Parquet or CSV (also .gz), in order; a bare name may be a shipped replay",
    )
    parser.add_argument(
        "--config", type=Path, metavar="TOML", help="settings; default: NAME.toml beside the data"
    )
    parser.add_argument(
        "--preset",
        choices=PRESETS,
        help="the settings of an experiment; options win over them, and they over files",
    )
    stream = parser.add_argument_group("stream options")
    macro = parser.add_argument_group("MACRO options")
    for option in DESCRIPTIONS:
        if option.on_command_line:
            group = stream if option.of_stream else macro
            flag = f"--{option.name.replace('_', '-')}"
            group.add_argument(flag, dest=option.name, metavar=option.metavar, help=option.help)


def open_from(arguments: argparse.Namespace) -> Opened:
    """The stream that the arguments ask for."""
    from macro_engine.opening import COMMAND_LINE, open_stream
    from macro_engine.presets import preset
    from macro_engine.settings import OPTIONS, Layer

    given = {
        name: value for name in OPTIONS if (value := getattr(arguments, name, None)) is not None
    }
    layers = [Layer.read(COMMAND_LINE, given, of_user=True)]
    if arguments.preset is not None:
        layers.append(preset(arguments.preset))
    paths = [find_recording(name) for name in arguments.files]
    return open_stream(paths, layers, arguments.config)
