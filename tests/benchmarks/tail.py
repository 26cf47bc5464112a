"""Whether a live feed is kept up with, and what it costs.

python tests/benchmarks/tail.py pace [SECONDS]     fed at 50,000 rows/s: does the lag grow?
python tests/benchmarks/tail.py latency [SECONDS]  at 100 rows/s: from append to snapshot
python tests/benchmarks/tail.py idle [SECONDS]     what silence costs
python tests/benchmarks/tail.py kills [N]          killed while the file grows and rotates
python tests/benchmarks/tail.py fuzz [LINES]       good and bad lines at the reader
"""

import asyncio
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from laid import lay

from macro_engine.core.state import pack
from macro_engine.datasets.player import Mishaps, Player, garbage
from macro_engine.run.engine import Engine, Listener
from macro_engine.run.playing.pace import Speed
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.stored_stream import stored_stream
from macro_engine.stream.live.beginning import FileOrigin
from macro_engine.stream.opening import open_stream

RATE = 50_000
ATLANTA = Path(__file__).parents[2] / "replays" / "airline-ATL.parquet"


def tailing(path: Path, run_file: Path | None = None, listener: Listener | None = None) -> Engine:
    stored = stored_stream(run_file) if run_file is not None else None
    opened = open_stream(FileOrigin(path), stored=stored, close_after="never")
    outputs = (
        [run_file.with_suffix(f".{kind}.parquet") for kind in ("predictions", "trace")]
        if run_file is not None
        else [None, None]
    )
    return Engine(opened, *outputs, listener or Listener(), run_file)


def rows_read(engine: Engine) -> int:
    maker = engine.reader.maker
    return maker.rows + maker.open_rows + engine.rejections.count


def stop_at(engine: Engine, rows: int) -> None:
    """Have it stop when so many rows were read."""
    tell = engine.listener.progress

    def progress() -> None:
        tell()
        if rows_read(engine) >= rows:
            engine.stop()

    engine.listener.progress = progress


def pace(folder: Path, seconds: float) -> bool:
    rows = int(seconds * RATE)
    recording = lay(-(-rows // 124_232), folder / "laid.parquet")
    rows = -(-rows // 124_232) * 124_232
    target = ["--to", str(folder / "live.csv"), "--rate", str(RATE)]
    feeding = subprocess.Popen(
        [sys.executable, "-m", "macro_tui", "feed", str(recording), *target],
        stderr=subprocess.DEVNULL,
    )
    lags: list[tuple[float, int]] = []

    def progress() -> None:
        file = engine.reader.source.file
        if file is not None and feeding.poll() is None:
            lags.append((time.monotonic(), file.size - file.text.taken))

    engine = tailing(folder / "live.csv", folder / "pace.run", Listener(progress=progress))
    stop_at(engine, rows)
    cpu = time.process_time()
    asyncio.run(engine.run())
    cpu = time.process_time() - cpu
    feeding.wait()
    row_bytes = (folder / "live.csv").stat().st_size / rows
    when, lag = (np.array(values) for values in zip(*lags, strict=True))
    lag = lag / row_bytes / RATE * 1000
    since = when - when[0]
    thirds = [float(np.percentile(part, 95)) for part in np.array_split(lag[since > 1.0], 3)]
    print(
        f"pace: {rows:,} rows at {RATE:,} rows/s in {since[-1]:.0f} s; 95 % of lags below "
        f"{thirds[0]:.0f}, {thirds[1]:.0f}, {thirds[2]:.0f} ms in the thirds of that time; "
        f"{cpu / since[-1]:.0%} of a core"
    )
    return thirds[2] < max(2 * thirds[0], 250.0)


def latency(folder: Path, seconds: float) -> bool:
    first, *lines = _some_lines(folder, int(seconds * 100) + 2)
    live = folder / "live.csv"
    live.write_bytes(first + lines.pop(0))  # with a row there, the loops are loaded
    appended: list[float] = []
    seen: list[float] = []

    def progress() -> None:
        known = engine.snapshot.rows + engine.snapshot.open_rows - 1
        ready.set()
        seen.extend([time.monotonic()] * (known - len(seen)))

    engine = tailing(live, folder / "latency.run", Listener(progress=progress))
    stop_at(engine, len(lines) + 1)
    ready = threading.Event()

    def append() -> None:
        ready.wait()
        begun = time.monotonic()
        with live.open("ab", buffering=0) as file:
            for i, line in enumerate(lines):
                time.sleep(max(0.0, begun + i / 100 - time.monotonic()))
                appended.append(time.monotonic())
                file.write(line)

    writer = threading.Thread(target=append)
    writer.start()
    asyncio.run(engine.run())
    writer.join()
    waits = 1000 * (np.array(seen) - np.array(appended))
    high = float(np.percentile(waits, 95))
    print(
        f"latency: {len(waits):,} rows at 100 rows/s; middle {np.median(waits):.0f} ms, "
        f"95th percentile {high:.0f} ms, longest {waits.max():.0f} ms"
    )
    return high < 250.0


def idle(folder: Path, seconds: float) -> bool:
    (folder / "live.csv").write_bytes(b"".join(_some_lines(folder, 5_000)))
    marks: list[tuple[float, float]] = []

    def progress() -> None:
        if engine.snapshot.state == "quiet":
            marks.append((time.monotonic(), time.process_time()))
            if marks[-1][0] - marks[0][0] >= seconds:
                engine.stop()

    engine = tailing(folder / "live.csv", folder / "idle.run", Listener(progress=progress))
    asyncio.run(engine.run())
    (begun, before), (ended, after) = marks[0], marks[-1]
    share = (after - before) / (ended - begun)
    print(f"idle: {share:.2%} of a core over {ended - begun:.0f} s of silence")
    return share < 0.01


KILLED = """
import asyncio, os, sys, threading, time
sys.path.insert(0, os.path.dirname(sys.argv[1]))
from pathlib import Path
from tail import tailing, stop_at
import macro_engine.run.store.recorder as recorder
recorder.COMMIT_SECONDS, recorder._REST = 0.02, 0
folder, delay, rows = Path(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])
(folder / "ready").touch()
engine = tailing(folder / "live.csv", folder / "killed.run")
started = threading.Event()
engine.listener.progress = started.set
stop_at(engine, rows)
def kill():
    started.wait()
    time.sleep(delay)
    os.kill(os.getpid(), 9)
if delay:
    threading.Thread(target=kill, daemon=True).start()
asyncio.run(engine.run())
"""


def kills(folder: Path, count: float) -> bool:
    """An undisturbed run reads the same file at the same time."""
    each = 7.0  # seconds from a kill to the next, on a machine that has other things to do
    rows = int(min(124_232, max(4_000, count * each * 1_000)))
    rate = rows / (count * each)  # so that rows come until the last of them
    recording = folder / "part.parquet"
    _cut(recording, rows)
    mishaps = Mishaps(rotate_rows=rows // 20 + 7)
    player = Player(open_stream([recording]), folder / "live.csv", Speed(rate=rate), mishaps)
    writer = threading.Thread(target=player.play, args=[lambda _done, _rows: None])
    rng, died = random.Random(1), 0

    def child(delay: float) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", KILLED, __file__, folder, str(delay), str(rows)]
        return subprocess.Popen(command)

    running = child(0.3)  # it must see the first file before that is rotated away
    while not (folder / "ready").exists():
        time.sleep(0.01)
    writer.start()
    whole = tailing(folder / "live.csv", folder / "whole.run")
    stop_at(whole, rows)
    watcher = threading.Thread(target=lambda: asyncio.run(whole.run()))
    watcher.start()
    while writer.is_alive():
        assert running.wait() == -signal.SIGKILL
        died += 1
        running = child(0.001 + rng.random() * 0.4 if died < count else 0)
        if died == count:
            break
    writer.join()
    assert running.wait() in (0, -signal.SIGKILL)
    assert died == count or child(0).wait() == 0
    watcher.join()
    same = _left_by(folder / "whole.run") == _left_by(folder / "killed.run")
    print(
        f"kills: {died} while {rows:,} rows came and the file rotated {player.rotations} times; "
        f"{'ended as if undisturbed' if same else 'ENDED OTHERWISE'}"
    )
    return same and died == count


def _left_by(run_file: Path) -> dict[str, bytes]:
    reader = RunReader(run_file)
    left = {name: pack(part) for name, part in reader.state().items()}
    reader.close()
    for kind in ("predictions", "trace"):
        left[kind] = run_file.with_suffix(f".{kind}.parquet").read_bytes()
    return left


def fuzz(folder: Path, count: float) -> bool:
    """Good rows, garbage, cut rows, headers in another order, all in chunks of random sizes."""
    rng = random.Random(2)
    header, *rows = _some_lines(folder, 20_000)
    no_rows = garbage(header.count(b",") + 1)
    live = folder / "live.csv"
    live.write_bytes(header)
    engine = tailing(live)
    reader, good, bad = engine.reader, 0, 0
    started = time.monotonic()
    with live.open("ab", buffering=0) as file:
        while good + bad < count:
            lines = []
            for _ in range(5_000):
                row = rows[rng.randrange(len(rows))]
                draw = rng.random()
                if draw < 0.6:
                    lines.append(row)
                elif draw < 0.7:
                    noise = rng.randbytes(rng.randrange(1, 60)).translate(None, b'\n",\0\r')
                    lines.append(b"~" + noise + b"\n")
                elif draw < 0.85:
                    lines.append(rng.choice(no_rows) + b"\n")
                elif draw < 0.99:
                    lines.append(row[: rng.randrange(1, row.rfind(b","))] + b"\n")
                else:
                    lines.append(header)
                    continue
                good += draw < 0.6
                bad += draw >= 0.6
            data = b"".join(lines)
            while data:
                size = rng.randrange(1, 1 << 17)
                file.write(data[:size])
                data = data[size:]
                for _block in reader.poll():
                    pass
    while reader.has_news:
        for _block in reader.poll():
            pass
    reader.close()
    counted, reported = reader.maker.rows + reader.maker.open_rows, engine.rejections.count
    shown = all(str(rejection).isprintable() for rejection in engine.rejections.first)
    print(
        f"fuzz: {good + bad:,} lines in {time.monotonic() - started:.0f} s; {counted:,} of "
        f"{good:,} good rows counted, {reported:,} of {bad:,} bad ones reported"
    )
    return (counted, reported, shown) == (good, bad, True)


def _cut(path: Path, rows: int) -> None:
    import polars as pl

    metadata = pl.read_parquet_metadata(ATLANTA)
    kept = {key: value for key, value in metadata.items() if key.startswith("macro.")}
    pl.read_parquet(ATLANTA).head(rows).write_parquet(path, metadata=kept)


def _some_lines(folder: Path, count: int) -> list[bytes]:
    """A header and rows as `feed` writes them, with the TOML for `live.csv`."""
    _cut(folder / "part.parquet", count)
    recording = open_stream([folder / "part.parquet"])
    player = Player(recording, folder / "source.csv", Speed(), Mishaps())
    player.play(lambda _done, _rows: None)
    (folder / "source.toml").rename(folder / "live.toml")
    return (folder / "source.csv").read_bytes().splitlines(keepends=True)[:count]


DEFAULTS = {pace: 60, latency: 30, idle: 20, kills: 100, fuzz: 1_000_000}


def main() -> None:
    chosen = {part.__name__: part for part in DEFAULTS}
    parts = [chosen[sys.argv[1]]] if sys.argv[1:] else list(DEFAULTS)
    failed = False
    for part in parts:
        amount = float(sys.argv[2]) if sys.argv[2:] else DEFAULTS[part]
        with tempfile.TemporaryDirectory() as name:
            failed |= not part(Path(name), amount)
    sys.exit(failed)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    main()
