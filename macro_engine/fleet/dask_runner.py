"""Streams that run on the workers of a Dask cluster.

A run is recorded in a temporary folder of its worker, since a run file needs a local disk. Its line
on the wall comes home as an event of Dask's, about once a second, and the run file at the end.
"""

from __future__ import annotations

import json
import math
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from macro_engine.core.atomic_files import write_atomically
from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.fleet.fleet import waiting_line, what_it_awaits
from macro_engine.fleet.stream import Stream, run_stream
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.store.lock import WriterLock
from macro_engine.run.store.whole_file import whole_file
from macro_engine.run.wall import FollowedRun, RunLine
from macro_engine.work.cluster import check_data, check_program, worker_name
from macro_engine.work.dask_work import DaskWork
from macro_engine.work.identity import fingerprint, program
from macro_engine.work.stopping import StopRequest
from macro_engine.work.tasks import Ended, as_json, error_text

_TELL_SECONDS = 1.0
_RUN = "there.run"

_stops: dict[str, StopRequest] = {}  # of this worker, by fleet


def stop_there(fleet: str) -> None:
    """In a worker, beside what it does: asks the runs of a fleet to end."""
    _stops.setdefault(fleet, StopRequest()).ask()


def run_there(order: str, recorded: bytes | None) -> tuple[str, bytes | None]:
    """In a worker: runs a stream; returns how it ended, and the run file."""
    from distributed import get_worker, secede

    asked = json.loads(order)
    stream = _stream(asked["stream"])
    try:
        check_program(asked["program"])
        check_data(asked["data"])
    except MacroError as error:
        return as_json({"reason": str(error)}), None
    worker, key = get_worker(), asked["key"]
    if stream.is_live:
        secede()  # it mostly waits: its place is free for others
    stop, of_fleet = StopRequest(), _stops.setdefault(asked["fleet"], StopRequest())
    of_fleet.listen(stop.ask)
    with tempfile.TemporaryDirectory(prefix="macro-fleet-") as folder:
        path = Path(folder) / _RUN
        if recorded is not None:
            path.write_bytes(recorded)

        def tell(line: RunLine) -> None:
            worker.log_event(asked["topic"], {"key": key, "line": _on_its_way(line)})

        def is_wanted() -> bool:
            task = worker.state.tasks.get(key)
            return task is not None and task.state != "cancelled"

        watch = _Watch(stream, path, stop, tell, is_wanted)
        try:
            value = run_stream(replace(stream, run_file=str(path)), stop)
            answer: dict[str, Any] = {"value": value}
        except Exception as error:  # it is told where it was asked for
            answer = {"reason": f"{error_text(error)} (on {worker_name()})"}
        finally:
            watch.close()
            of_fleet.forget(stop.ask)
        try:
            return as_json(answer), whole_file(path) if path.exists() else None
        except MacroError as error:
            return as_json({"reason": f"{error} (on {worker_name()})"}), None


class _Watch:
    """Tells how a run stands, and stops it when nobody waits for it any more."""

    def __init__(
        self,
        stream: Stream,
        path: Path,
        stop: StopRequest,
        tell: Callable[[RunLine], None],
        is_wanted: Callable[[], bool],
    ) -> None:
        self.stream = stream
        self.path, self.stop, self.tell, self.is_wanted = path, stop, tell, is_wanted
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self._work, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.ended.set()
        self.thread.join()

    def _work(self) -> None:
        run = FollowedRun(self.path)
        while not self.ended.wait(_TELL_SECONDS):
            if not self.is_wanted():
                self.stop.ask()
                break
            if self.path.exists():
                run.look()
                if not run.line.snapshot.has_ended:  # what the file says until the run goes on
                    self.tell(run.line)
            else:
                self.tell(waiting_line(self.stream, what_it_awaits(self.stream)))
        run.close()


class DaskRunner(DaskWork):
    """Runs streams on the workers of a cluster."""

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self.topic = f"macro-fleet-{self.series}"
        self.streams: dict[str, Stream] = {}  # at work, by key
        self.locks: dict[str, WriterLock] = {}
        self.told: dict[Path, RunLine] = {}
        self.turn = 0
        self.client.subscribe_topic(self.topic, self._hear)

    @property
    def room(self) -> int:
        return self.threads - sum(not stream.is_live for stream in self.streams.values())

    @property
    def at_work(self) -> int:
        return len(self.streams) + self.happened.qsize()

    def begin(self, number: int, stream: Stream) -> None:
        key, home = self.new_key(number), Path(stream.run_file)
        try:
            self.locks[key] = WriterLock(home)  # nobody else may write what comes home
            recorded = whole_file(home) if home.exists() else None
            source = stream if stream.is_live else _at_home(stream)
            data = [] if stream.is_live else [(source.source, fingerprint(Path(source.source)))]
        except (MacroError, OSError) as error:
            self._unlock(key)
            failed = Ended(number, reason=error_text(error))
            self.happened.put(lambda: [failed])
            return
        order = {
            "stream": asdict(source),
            "data": data,
            "program": program(),
            "fleet": self.series,
            "topic": self.topic,
            "key": key,
        }
        self.streams[key] = stream
        self.told[home] = waiting_line(stream, "is sent to a worker")
        addresses = sorted(self.client.nthreads())
        self.turn += 1
        chosen = [addresses[self.turn % len(addresses)]] if addresses and stream.is_live else None
        self.hand_over(
            key,
            number,
            run_there,
            as_json(order),
            recorded,
            workers=chosen,
            allow_other_workers=chosen is not None,
        )

    def ask_to_stop(self) -> None:
        waiting = [key for key, future in self.futures.items() if future.status == "pending"]
        with suppress(Exception):  # the scheduler may be gone
            running = {key for keys in self.client.processing().values() for key in keys}
            for key in waiting:
                if key not in running:
                    self.futures[key].cancel()
            self.client.run(stop_there, self.series)

    def lines(self) -> dict[Path, RunLine]:
        return dict(self.told)

    def close(self) -> None:
        super().close()
        for key in list(self.locks):
            self._unlock(key)

    def answer_of(self, key: str, future: Any) -> dict[str, Any]:
        try:
            text, recorded = future.result(timeout=600)
            if recorded is not None:
                write_atomically({Path(self.streams[key].run_file): recorded})
        except Exception as error:  # it was lost on its way, or the disk is full
            return {"reason": f"its run file could not be fetched: {error_text(error)}"}
        answer: dict[str, Any] = json.loads(text)
        summary = (answer.get("value") or {}).get("summary") or {}
        return answer | {"seconds": summary.get("seconds", 0.0)}

    def done_again(self, worker: str, keys: list[str]) -> list[str]:
        words = "it restarts on another worker"
        for key in keys:
            stream = self.streams[key]
            self.told[Path(stream.run_file)] = waiting_line(stream, f"its worker was lost; {words}")
        return [f"{self.streams[key].name}: worker {worker} is lost; {words}" for key in keys]

    def forget(self, key: str, answer: dict[str, Any]) -> Ended:
        self.told.pop(Path(self.streams.pop(key).run_file), None)
        self._unlock(key)
        return super().forget(key, answer)

    def _hear(self, event: tuple[float, Any]) -> None:
        """In Dask's thread."""
        message = event[1]
        stream = self.streams.get(message["key"])
        if stream is not None:
            self.told[Path(stream.run_file)] = _line(message["line"], stream)

    def _unlock(self, key: str) -> None:
        lock = self.locks.pop(key, None)
        if lock is not None:
            lock.release()


def _at_home(stream: Stream) -> Stream:
    return replace(stream, source=str(Path(stream.source).absolute()))


def _stream(values: dict[str, Any]) -> Stream:
    tuples = {name: tuple(values[name]) for name in ("alarms", "on_alarm")}
    return Stream(**(values | tuples))


def _on_its_way(line: RunLine) -> str:
    """A line of the wall, on its way."""
    values = asdict(line)
    for name in ("path", "name"):
        values.pop(name)
    values["lately"] = [None if math.isnan(lead) else lead for lead in line.lately]
    return as_json(values)


def _line(text: str, stream: Stream) -> RunLine:
    """A line of the wall, as it came; the clock of the lag is the worker's."""
    told = json.loads(text)
    snapshot = Snapshot.restored(told.pop("snapshot"))
    told["lately"] = tuple(math.nan if lead is None else lead for lead in told["lately"])
    told["alarms"] = tuple(visible(text, 200) for text in told["alarms"])
    return RunLine(Path(stream.run_file), stream.shown_name, snapshot, **told)
