"""Runs over small made streams, recorded or not."""

from __future__ import annotations

import asyncio
import gzip
import random
import sqlite3
import time
from contextlib import closing
from functools import cache
from pathlib import Path

from macro_engine.core.state import pack
from macro_engine.options.settings import Layer
from macro_engine.run.engine import Engine, Listener
from macro_engine.run.store.ledger import write_ledger
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.store.tables import writers_ledger
from macro_engine.run.store.writer import write_info
from macro_engine.run.stored_stream import stored_stream
from macro_engine.stream.live.beginning import FileOrigin, PipeOrigin
from macro_engine.stream.live.standard_input import Pipe
from macro_engine.stream.opening import open_stream


def write_stream(path, rows=1500, seed=1, garbage=0.0):
    """A CSV with a time, two numbers, a category and a label; some lines cannot be used."""
    path.write_text(_stream(rows, seed, garbage))
    return path


@cache
def _stream(rows, seed, garbage):
    rng = random.Random(seed)
    lines = ["when,a,b,place,late"]
    for i in range(rows):
        minutes = 3 * i + rng.randrange(3)
        day, rest = divmod(minutes, 1440)
        when = f"2024-{1 + day // 28:02}-{1 + day % 28:02}T{rest // 60:02}:{rest % 60:02}:00"
        mood = (i // 200) % 3
        label = int(rng.random() < (0.1, 0.5, 0.9)[mood])
        place = f"p{rng.randrange(3 + i // 500)}"
        a = "oops" if rng.random() < garbage else f"{rng.random() + mood:.4f}"
        lines.append(f"{when},{a},{rng.random():.4f},{place},{label}")
    return "\n".join(lines) + "\n"


SETTINGS = {
    "time": "when",
    "label": "late",
    "features": "a,b",
    "categorical": "place",
    "every": "30m",
    "history": "3",
    "strategies": "ftl,ewa",
}


def engine(path, run_file=None, listener=None, **options):
    """An engine over a stream, with settings for such streams."""
    values = SETTINGS | {
        n: v for n, v in options.items() if n not in ("predictions", "trace", "speed")
    }
    opened = open_stream([path], [Layer.read("test", values, of_user=True)])
    rest = {n: v for n, v in options.items() if n in ("predictions", "trace", "speed")}
    if listener is not None:
        rest["listener"] = listener
    return Engine(opened, run_file=run_file, **rest)


def run(made):
    asyncio.run(made.run())
    return made


def run_until(made, steps):
    """Run and stop after so many steps."""
    tell = made.listener.progress

    def progress():
        tell()
        if made.steps >= steps:
            made.stop()

    made.listener.progress = progress
    return run(made)


def live_engine(source, run_file=None, listener=None, close_after="never", **options):
    """An engine over a live feed, with settings for such streams."""
    values = SETTINGS | {n: v for n, v in options.items() if n not in ("predictions", "trace")}
    opened = open_stream(
        PipeOrigin(source) if isinstance(source, Pipe) else FileOrigin(source),
        [Layer.read("test", values, of_user=True)],
        wait=lambda _why: time.sleep(0.01),
        stored=stored_stream(run_file) if run_file is not None else None,
        close_after=close_after,
    )
    rest = {n: v for n, v in options.items() if n in ("predictions", "trace")}
    return Engine(opened, run_file=run_file, listener=listener or Listener(), **rest)


def run_until_read(made, rows):
    """Run a live engine until so many rows were read, good and bad ones."""
    tell = made.listener.progress

    def progress():
        tell()
        maker = made.reader.maker
        read = maker.rows + maker.open_rows + maker.encoder.sampled + sum(map(len, maker.sampled))
        if read + made.rejections.count >= rows:
            made.stop()

    made.listener.progress = progress
    return run(made)


def unpacked(name, path):
    """A run file of tests/data, at a path."""
    packed = Path(__file__).parent / "data" / f"{name}.run.gz"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return path


def forge(path, name, value):
    """Let a run file say something else of its run, with the right checksums."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        ledger = writers_ledger(connection)
        write_info(connection, ledger, {name: value})
        write_ledger(connection, ledger)


def state_of(path):
    reader = RunReader(path)
    state = {name: pack(part) for name, part in reader.state().items()}
    reader.close()
    return state


def outputs(folder, name):
    return {"predictions": folder / f"{name}-p.csv", "trace": folder / f"{name}-t.csv"}


def assert_same_files(one, other):
    for name, path in one.items():
        assert path.read_bytes() == other[name].read_bytes()


def differing(one, other):
    """The names under which two states differ; a diff of their bytes would take minutes."""
    return [name for name in {**one, **other} if one.get(name) != other.get(name)]
