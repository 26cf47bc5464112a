"""One stream of a fleet: its settings, and its run."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.output_path import check_output, input_paths
from macro_engine.work.stopping import StopRequest, process_stop
from macro_engine.work.tasks import Task, work

_LOOK_SECONDS = 0.2  # between two looks for a live file that is not there yet
_STOPPED = "stopped"
_FIRST_ROWS = 128  # of a run whose first steps nobody watches: a small stream is one block
_BLOCK_SECONDS = 0.2  # nobody watches steps one by one; on a busy machine short blocks cost much


@dataclass(frozen=True)
class Stream:
    """The request to run one stream, as JSON.

    Attributes
    ----------
    source
        A recording, or a live file or source as `tail` takes it.
    run_file
        Where its run is recorded, and from where it goes on.
    options, preset, config
        The settings that the command line gives.
    alarms, on_alarm
        Rules as they were written, and the words of the command that is told.
    """

    name: str
    source: str
    run_file: str
    is_live: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    preset: str | None = None
    config: str | None = None
    keep: str | None = None
    from_now: bool = False
    close_after: float | str | None = None
    alarms: tuple[str, ...] = ()
    on_alarm: tuple[str, ...] = ()

    @property
    def shown_name(self) -> str:
        """Its name on the wall: that of the run file."""
        return visible(Path(self.run_file).name, 60)

    @property
    def is_awaited(self) -> bool:
        """Whether the live file is not there yet."""
        return self.is_live and not _is_address(self.source) and not Path(self.source).exists()

    def task(self) -> Task:
        return Task.of(run_as_task, asdict(self), label=self.name)


class _LeftError(Exception):
    """It was asked to end before there was a stream; the text says what it waited for."""


@work
def run_as_task(task: Task) -> dict[str, Any]:
    """Runs a stream in a worker process of this machine."""
    from macro_engine.run.compiling.warming import WAIT

    settings = dict(task.settings)
    settings["alarms"], settings["on_alarm"] = (
        tuple(settings["alarms"]),
        tuple(settings["on_alarm"]),
    )
    stream = Stream(**settings)
    if stream.is_live:
        os.environ[WAIT] = ""  # rows come now: the runs of this process play on meanwhile
    return run_stream(stream, process_stop)


def run_stream(stream: Stream, stop: StopRequest) -> dict[str, Any]:
    """Runs a stream to its end, or until a stop is asked for; returns how it ended.

    The document has `state` (`finished` or `stopped`), `summary` as `replay --json` gives it (None
    if no step was closed), how many alarms `rung`, and `remarks` for the user.
    """
    from macro_engine.run.alarms.alarms import Alarms
    from macro_engine.run.alarms.command import AlarmCommand
    from macro_engine.run.alarms.rules import parse
    from macro_engine.run.engine import Engine, Listener
    from macro_engine.run.store.retention import Retention

    remarks: list[str] = []
    listener = Listener(remark=remarks.append)
    command = None
    if stream.on_alarm:
        command = listener.alarm = AlarmCommand(stream.on_alarm, stream.name, remarks.append)
    try:
        opened = _opened(stream, stop)
        remarks += opened.remarks
        engine = Engine(
            opened,
            listener=listener,
            run_file=Path(stream.run_file),
            keep=None if stream.keep is None else Retention.parse(stream.keep),
            first_rows=_FIRST_ROWS,
            block_seconds=_BLOCK_SECONDS,
        )
        engine.watch_for(Alarms(parse(rule) for rule in stream.alarms))
        stop.listen(engine.stop)
        try:
            asyncio.run(engine.run())
        finally:
            stop.forget(engine.stop)
    except _LeftError as left:
        remarks.append(str(left))
        return {"state": _STOPPED, "summary": None, "rung": 0, "remarks": remarks}
    finally:
        if command is not None:
            command.close()
    return {
        "state": _STOPPED if engine.was_stopped else "finished",
        "summary": engine.summary() if engine.steps else None,
        "rung": engine.alarms.rung,
        "remarks": remarks,
    }


def _opened(stream: Stream, stop: StopRequest) -> Any:
    """The stream, with every setting settled."""
    from macro_engine.options.presets import preset
    from macro_engine.options.settings import Layer
    from macro_engine.run.stored_stream import stored_stream
    from macro_engine.stream.opening import COMMAND_LINE, open_stream
    from macro_engine.stream.source import origin_of

    layers = [Layer.read(COMMAND_LINE, stream.options, of_user=True)]
    if stream.preset is not None:
        layers.append(preset(stream.preset))
    config = None if stream.config is None else Path(stream.config)
    run_file = Path(stream.run_file)
    if not stream.is_live:
        path = Path(stream.source)
        check_output(run_file, "--run", input_paths([path]))
        return open_stream([path], layers, config)

    def wait(why: str) -> None:
        if stop.event.wait(_LOOK_SECONDS):
            raise _LeftError(why)

    origin = origin_of(stream.source, stream.from_now)
    check_output(run_file, "--run", input_paths(origin.paths))
    return open_stream(
        origin,
        layers,
        config,
        wait=wait,
        stored=stored_stream(run_file),
        close_after=stream.close_after,
    )


def run_names(sources: Sequence[str]) -> list[str]:
    """A name for each stream, told apart by folders or, where these do not differ, by numbers.

    >>> run_names(["ATL.parquet", "2001/DEN.csv", "2008/DEN.csv", "kafka://host/delays"])
    ['ATL', '2001-DEN', '2008-DEN', 'kafka-host-delays']
    """
    if len({_told(source) for source in sources}) < len(sources):
        twice = next(s for i, s in enumerate(sources) if _told(s) in map(_told, sources[:i]))
        raise UsageError(f"{visible(twice)} is named twice; each stream has a run of its own")
    names = [_short(source) for source in sources]
    shared = _repeated(names)
    names = [
        _with_folder(source) if name.casefold() in shared else name
        for source, name in zip(sources, names, strict=True)
    ]
    counts: dict[str, int] = {}
    shared = _repeated(names)
    for place, name in enumerate(names):
        key = name.casefold()
        if key in shared:
            counts[key] = counts.get(key, 0) + 1
            names[place] = f"{name}-{counts[key]}"
    if _repeated(names):
        raise MacroError("two streams would have run files of the same name; rename one of them")
    return names


def _told(source: str) -> str:
    return source if _is_address(source) else str(Path(source).resolve())


def _is_address(source: str) -> bool:
    return "://" in source


def _repeated(names: Sequence[str]) -> set[str]:
    folded = [name.casefold() for name in names]
    return (
        {name for name in folded if folded.count(name) > 1}
        if len(set(folded)) < len(folded)
        else set()
    )


def _short(source: str) -> str:
    if _is_address(source):
        return _plain(source)
    name = Path(source).name
    return _plain(name.split(".", 1)[0] or name)


def _with_folder(source: str) -> str:
    if _is_address(source):
        return _plain(source)
    path = Path(source).resolve()
    return f"{_plain(path.parent.name)}-{_short(source)}"


def _plain(text: str) -> str:
    return re.sub(r"[^\w.=+-]+", "-", text).strip("-.") or "stream"
