"""Whether a tail keeps up with 20,000 rows/s while labels come long after their rows.

    python tests/benchmarks/late.py [PENDING] [ROWS] [CASE...]

A file with ROWS rows (600,000) is tailed at full speed; the label of each comes PENDING rows
(200,000) later, so that so many wait. Printed are the rows a CPU second, from when labels come, and
the peak memory. Cases: `rows` (one row a step, nine members, blend), `windows` (ten-minute steps,
FTL and EWA), each with labels in later rows; `file` (labels in a second file); `run` (as `rows`,
into a run file, with predictions and outcomes emitted).
"""

import asyncio
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from macro_engine.options.settings import Layer
from macro_engine.run.engine import Engine
from macro_engine.stream.live.beginning import GrowingFile
from macro_engine.stream.opening import open_stream

CASES = ("rows", "windows", "file", "run")
A_WINDOW = 50  # rows in ten minutes
START = 1_700_000_000


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
    opened = open_stream(GrowingFile(folder / "live.csv"), layers, close_after="never")
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


def main(pending: str = "200000", rows: str = "600000", *cases: str) -> None:
    for case in cases or CASES:
        measure(case, int(pending), int(rows), print)


if __name__ == "__main__":
    main(*sys.argv[1:])
