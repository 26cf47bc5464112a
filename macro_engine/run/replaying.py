"""`replay`: MACRO over a recording, as a function."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import polars as pl

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.output_path import check_output, input_paths
from macro_engine.options.presets import PRESETS
from macro_engine.options.presets import preset as layer_of_preset
from macro_engine.options.settings import Layer
from macro_engine.run.engine import Engine, Listener
from macro_engine.run.result import RunResult
from macro_engine.run.store.retention import Retention
from macro_engine.run.store.runfile import RunReader
from macro_engine.stream.opening import Opened, open_stream

PathLike: TypeAlias = str | os.PathLike[str]
Recordings: TypeAlias = PathLike | Sequence[PathLike] | pl.DataFrame | pl.LazyFrame

_FRAME, _UNNAMED = "DataFrame", "unnamed.run"


def replay(
    recording: Recordings,
    *,
    config: PathLike | None = None,
    preset: str | None = None,
    run: PathLike | None = None,
    keep: str | None = None,
    say: Callable[[str], None] | None = None,
    **options: Any,
) -> RunResult:
    """Runs MACRO over a recording at full speed, as `macro-tui replay --headless` does.

    Works in a script and where an asyncio loop already runs, as in a notebook.

    Parameters
    ----------
    recording
        A path, several paths in order, or a Polars frame.
    config
        A TOML with settings; defaults to the one beside the first file, if it exists.
    preset
        The name of a preset. Options override a preset, and a preset overrides files.
    run
        The run file to write. The same call resumes an interrupted run.
    keep
        The limit of the run file, as in `30d` or `10GB`.
    say
        Called at once with each remark about the stream and the run: `say=print`.
    options
        The options of the command line, with `_` for `-`: `label`, `features`, `every`,
        `distance`, `thresholds`, ... Values are strings as on the command line, numbers, or lists
        of them.

    Raises
    ------
    UsageError
        If an option is unknown or has a wrong value.
    MacroError
        If a file cannot be read or written, or the run fails.

    Examples
    --------

    >>> import polars
    >>> from macro_engine import replay

    >>> flights = polars.DataFrame({"delay": [3, 20, 1, 40] * 50, "late": ["no", "yes"] * 100})
    >>> result = replay(
    ...     flights, label="late", scale="none", history=6, thresholds=[0.1, 0.5], strategies="ftl")
    >>> result.errors
    marginal   12.00 %
    no_change  99.50 %
    ftl        12.00 %
    >>> result.predictions.columns
    ['row', 'step', 'time', 'label', 'marginal', 'no_change', 'ftl', 't0', 't1', 'p_no', 'p_yes']
    >>> result.trace["threshold"].unique().to_list()
    [0.1, 0.5]
    >>> result.summary["rows"]
    200
    >>> result.close()
    """
    layers = _layers(options, preset)
    kept = _keep(keep, run)
    remarks = _Remarks(say)
    folder = Path(tempfile.mkdtemp(prefix="macro-replay-"))
    try:
        paths = _paths(recording, folder)
        opened = open_stream(paths, layers, None if config is None else Path(config))
        for line in opened.remarks:
            remarks.add(line)
        path = folder / _UNNAMED if run is None else _run_file(run, opened)
        listener = Listener(remark=remarks.add)
        _run(Engine(opened, listener=listener, run_file=path, keep=kept))
        result = RunResult(RunReader(path), None if run else folder, remarks.lines)
    except BaseException as error:
        shutil.rmtree(folder, ignore_errors=True)
        if isinstance(error, MacroError):  # the folder says nothing to whoever passed a data frame
            error.args = (str(error).replace(f"{folder}{os.sep}", ""),)
        raise
    if run is not None:
        shutil.rmtree(folder, ignore_errors=True)
    return result


class _Remarks:
    """Lines for the user, kept and told."""

    def __init__(self, say: Callable[[str], None] | None) -> None:
        self.say = say
        self.lines: list[str] = []

    def add(self, line: str) -> None:
        self.lines.append(line)
        if self.say is not None:
            self.say(line)


def _layers(options: dict[str, Any], preset: str | None) -> list[Layer]:
    """The settings that were passed, and those of the preset that was named."""
    given = {name: _plain(value) for name, value in options.items() if value is not None}
    layers = [Layer.read("replay", given, of_user=True)]
    if preset is not None:
        if preset not in PRESETS:
            raise UsageError(
                f"--preset: '{visible(preset)}' is unknown; one of: {', '.join(PRESETS)}"
            )
        layers.append(layer_of_preset(preset))
    return layers


def _plain(value: Any) -> Any:
    """Lists for tuples, ranges and arrays, numbers for those of NumPy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return list(value) if isinstance(value, tuple | range) else value


def _keep(keep: str | None, run: PathLike | None) -> Retention | None:
    if keep is None:
        return None
    if run is None:
        raise UsageError("--keep says how much a run file keeps; name one with run=")
    return Retention.parse(keep)


def _run_file(run: PathLike, opened: Opened) -> Path:
    path = Path(run)
    check_output(path, "--run", input_paths(opened.origin.paths))
    return path


def _paths(recording: Any, folder: Path) -> list[Path]:
    """The files to read; a frame becomes one, so that it is read like any other recording."""
    if isinstance(recording, str | os.PathLike):
        return [Path(recording)]
    if isinstance(recording, pl.LazyFrame):
        recording = recording.collect()
    if isinstance(recording, pl.DataFrame):
        return [_written(recording, folder / _FRAME)]
    if not isinstance(recording, Sequence) or not recording:
        kind = type(recording)
        raise UsageError(
            f"a path, several paths or a Polars frame is expected, not {kind.__module__}."
            f"{kind.__qualname__}; polars.from_pandas and polars.DataFrame make frames"
        )
    return [Path(path) for path in recording]


def _written(frame: pl.DataFrame, path: Path) -> Path:
    try:
        frame.write_parquet(path)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        raise MacroError(f"the frame cannot be read: {visible(error, 200)}") from None
    return path


def _run(engine: Engine) -> None:
    """Runs it in a thread of its own: the loop of this one may be in use."""
    failed: list[BaseException] = []
    ended = threading.Event()  # a thread whose `join` was interrupted passes for dead

    def work() -> None:
        try:
            asyncio.run(engine.run())
        except BaseException as error:  # raised in the caller's thread
            failed.append(error)
        finally:
            ended.set()

    threading.Thread(target=work, name="replay", daemon=True).start()
    try:
        ended.wait()
    except BaseException:  # ctrl+c
        _stop(engine, ended)
        raise
    if failed:
        raise failed[0]


def _stop(engine: Engine, ended: threading.Event) -> None:
    """Lets it commit what was read; a second ctrl+c does not wait for that."""
    with suppress(RuntimeError):  # its loop has just ended
        engine.stop()
    try:
        ended.wait()
    except BaseException:
        engine.abandon()
        raise
