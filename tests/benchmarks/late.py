"""Whether a tail keeps up with 20,000 rows/s while labels come long after their rows.

    python tests/benchmarks/late.py [PENDING] [ROWS] [CASE...]
    python tests/benchmarks/late.py [PENDING] SECONDS live

A file with ROWS rows (600,000) is tailed at full speed; the label of each comes PENDING rows
(200,000) later, so that so many wait. Printed are the rows a CPU second, from when labels come, and
the peak memory. Cases: `rows` (one row a step, nine members, blend), `windows` (ten-minute steps,
FTL and EWA), each with labels in later rows; `file` (labels in a second file); `run` (as `rows`,
into a run file, with predictions and outcomes emitted).

`live` feeds the command itself, `tail --headless` with a run file and `--emit`: once PENDING rows
wait, 20,000 rows and as many labels a second come for so many seconds. Printed is how many rows
are not emitted at the end of that, how long it takes until they are, and the peak memory.
"""

import asyncio
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from macro_engine.options.settings import Layer
from macro_engine.run.engine import Engine
from macro_engine.stream.live.beginning import FileOrigin
from macro_engine.stream.opening import open_stream

CASES = ("rows", "windows", "file", "run")
A_WINDOW = 50  # rows in ten minutes
START = 1_700_000_000
RATE = 20_000  # rows a second
_TICK = 0.05  # seconds between two writes to the file
_PATIENCE = 60  # seconds


def write(path: Path, pending: int, rows: int, labels: Path | None = None) -> None:
    """Rows whose labels come so many rows later, in the file itself or in another one."""
    rng, told = random.Random(1), []
    apart = labels.open("w") if labels is not None else None
    if apart is not None:
        apart.write("late,id\n")
    with path.open("w") as file:
        file.write("id,when,a,b,place,late\n")
        for i in range(rows + pending):
            if i < rows:
                a, b = rng.random(), rng.random()
                told.append(int((a if i // 5000 % 2 else b) + 0.3 * rng.random() > 0.8))
                when = START + i * 600 // A_WINDOW
                file.write(f"k{i},{when},{a:.4f},{b:.4f},p{rng.randrange(5)},\n")
            if i >= pending:
                key, label = f"k{i - pending}", told[i - pending]
                if apart is None:
                    file.write(f"{key},,,,,{label}\n")
                else:
                    apart.write(f"{label},{key}\n")
    if apart is not None:
        apart.close()


def tailing(folder: Path, case: str) -> Engine:
    options = {"key": "id", "label": "late", "classes": "0,1", "time": "when"}
    options["label_timeout"] = "10000d"
    if case == "windows":
        options |= {"every": "10m", "strategies": "ftl,ewa"}
    if case == "file":
        options["labels"] = str(folder / "labels.csv")
    layers = [Layer.read("benchmark", options, of_user=True)]
    opened = open_stream(FileOrigin(folder / "live.csv"), layers, close_after="never")
    if case != "run":
        return Engine(opened)
    emit = str(folder / "emitted.jsonl")
    return Engine(opened, run_file=folder / "late.run", emit=emit, emit_outcomes=True)


def measure(case: str, pending: int, rows: int, say: Callable[[str], None]) -> float:
    """Rows a CPU second from when labels come until the last row."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "live.csv", pending, rows, folder / "labels.csv" if case == "file" else None)
        engine = tailing(folder, case)
        marks: list[tuple[int, float]] = []
        most = 0

        def progress() -> None:
            nonlocal most
            read = engine.reader.rows
            if read >= pending and (not marks or read > marks[-1][0]):
                marks.append((read, time.process_time()))
                if engine.reader.maker.awaited is not None:
                    most = max(most, engine.reader.maker.awaited.waiting_rows)
            if read >= rows - A_WINDOW:
                engine.stop()

        engine.listener.progress = progress
        asyncio.run(engine.run())
        (first, begun), (last, ended) = marks[0], marks[-1]
        rate = (last - first) / (ended - begun)
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
        say(
            f"{case}: {rate:,.0f} rows a CPU second with up to {most:,} rows waiting; "
            f"peak memory {memory:,} MB"
        )
        return rate


def lines_in(path: Path) -> int:
    """How many lines a file has; none if it is not there."""
    if not path.exists():
        return 0
    with path.open("rb") as file:
        return sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 20), b""))


def wait_for(path: Path, lines: int) -> float:
    """Wait until a file has so many lines; the seconds that took."""
    begun = time.monotonic()
    while lines_in(path) < lines:
        if time.monotonic() - begun > _PATIENCE:
            raise SystemExit(f"live: {lines_in(path):,} of {lines:,} rows after {_PATIENCE} s")
        time.sleep(0.02)
    return time.monotonic() - begun


def feed(path: Path, texts: list[str]) -> float:
    """Append a text every so often; how late the last one was."""
    begun = time.monotonic()
    with path.open("a") as file:
        for i, text in enumerate(texts):
            time.sleep(max(begun + i * _TICK - time.monotonic(), 0.0))
            file.write(text)
            file.flush()
    return time.monotonic() - begun - (len(texts) - 1) * _TICK


def live(pending: int, seconds: float, say: Callable[[str], None]) -> float:
    """How long after the end of the feed the last row is emitted."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file, emitted = folder / "live.csv", folder / "emitted.jsonl"
        rows = pending + int(RATE * seconds)
        write(folder / "all.csv", pending, rows)
        lines = (folder / "all.csv").read_text().splitlines(keepends=True)
        begin, at_once = pending + 1, int(2 * RATE * _TICK)  # a header; then rows and labels
        file.write_text("".join(lines[:begin]))
        stop = begin + 2 * (rows - pending)
        texts = ["".join(lines[i : i + at_once]) for i in range(begin, stop, at_once)]
        command = [
            *(sys.executable, "-m", "macro_tui", "tail", str(file), "--headless"),
            *("--key", "id", "--label", "late", "--classes", "0,1", "--time", "when"),
            *("--every", "1", "--label-timeout", "10000d"),
            *("--run", str(folder / "late.run"), "--emit", str(emitted)),
        ]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as tail:
            try:
                wait_for(emitted, pending - A_WINDOW)
                slow = feed(file, texts)
                behind = rows - lines_in(emitted)
                took = wait_for(emitted, rows - A_WINDOW)
            finally:
                tail.send_signal(signal.SIGINT)
            tail.wait()
        memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
        say(
            f"live: {took:.2f} s after {seconds:g} s of {RATE:,} rows/s the last row is emitted; "
            f"{behind:,} rows behind before, the feed itself {slow:.2f} s late; "
            f"{pending:,} rows waiting, peak memory {memory:,} MB"
        )
        return took


def main(pending: str = "200000", rows: str = "600000", *cases: str) -> None:
    for case in cases or CASES:
        if case == "live":
            live(int(pending), float(rows), print)
            continue
        measure(case, int(pending), int(rows), print)


if __name__ == "__main__":
    main(*sys.argv[1:])
