"""What a wall of many live runs costs.

    python tests/benchmarks/wall.py [RUNS [SECONDS]]

Tails of 5 rows a second each are followed by one wall in a pseudo terminal of 160x50: CPU of the
wall as a share of a core, and its first line against the first paint of `watch` on one of the runs.
The run files are written by one process, through the recorder that tails use, commit by commit. It
counts the rows that were committed meanwhile: where the writers are starved, the figure says nothing,
and it ends with exit code 1.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from terminals import Terminal

from macro_engine.run.run_listing import listing_line
from macro_tui.cli.runs import HEADINGS

# Each run in a thread of its own: an engine over a file that grows by a row every 0.2 s.
RUN = """
import asyncio, datetime, random, sys, threading, time
from pathlib import Path
folder, count = Path(sys.argv[1]), int(sys.argv[2])
from macro_engine.options.settings import Layer
from macro_engine.run.engine import Engine
from macro_engine.stream.live.beginning import FileOrigin
from macro_engine.stream.opening import open_stream
HEADER = "when,a,b,label\\n"
def row(when):
    a, b = random.random(), random.random()
    label = "late" if random.random() < 0.2 + 0.6 * (a > b) else "punctual"
    return f"{when:%Y-%m-%dT%H:%M:%S.%f},{a:.3f},{b:.3f},{label}\\n"
def values():
    found = {"time": "when", "label": "label", "features": "a,b", "every": "5"}
    return found | {"classes": "late,punctual", "scale": "none", "clock": "off"}
def run(i):
    stream = folder / f"s{i}.csv"
    opened = open_stream(
        FileOrigin(stream), [Layer.read("the benchmark", values(), of_user=True)],
        wait=lambda _why: time.sleep(0.1),
    )
    asyncio.run(Engine(opened, run_file=folder / f"r{i:02}.run").run())
now = datetime.datetime.now()
for i in range(count):
    past = (now - datetime.timedelta(seconds=0.2 * k) for k in range(300, 0, -1))
    (folder / f"s{i}.csv").write_text(HEADER + "".join(map(row, past)))
    threading.Thread(target=run, args=[i], daemon=True).start()
due = time.monotonic()
while True:
    due += 0.2  # what was late is made up for
    for i in range(count):
        with open(folder / f"s{i}.csv", "a") as file:
            file.write(row(datetime.datetime.now()))
    time.sleep(max(due - time.monotonic(), 0))
"""
RATE = 5.0  # rows a second that each run is fed
ENOUGH = 0.9  # of them must be committed; a commit comes once a second


def first_lines(folder: Path, rounds: int) -> tuple[float, float]:
    """Seconds until a wall shows its runs, and until `watch` shows one of them."""

    def seconds(text: str, *arguments: object) -> float:
        started = time.perf_counter()
        with Terminal(*arguments, size=(160, 50)) as terminal:
            terminal.wait_for(text, 120)
            return time.perf_counter() - started

    pairs = [
        (seconds("r00.run", "wall", folder), seconds("[1] MACRO", "watch", folder / "r00.run"))
        for _ in range(rounds)
    ]
    wall, one = (statistics.median(times) for times in zip(*pairs, strict=True))
    return wall, one


def committed(folder: Path) -> list[int]:
    """Rows in each run file."""
    place = HEADINGS.index("rows")
    return [
        int(listing_line(path)[place].replace(",", "")) for path in sorted(folder.glob("*.run"))
    ]


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        writer = subprocess.Popen([sys.executable, "-c", RUN, name, str(count)])
        try:
            while len(list(folder.glob("*.run"))) < count:
                time.sleep(0.5)
            time.sleep(10)
            wall, one = first_lines(folder, 3)
            print(f"first paint: {wall:.2f} s, one run {one:.2f} s, ratio {wall / one:.2f}")
            with Terminal("wall", folder, size=(160, 50)) as terminal:
                terminal.wait_for("r00.run", 120)
                time.sleep(5)
                rows, started = committed(folder), time.perf_counter()
                before, sent = terminal.cpu_seconds(), len(terminal.received)
                time.sleep(seconds)
                share = (terminal.cpu_seconds() - before) / seconds
                rate = (len(terminal.received) - sent) / seconds / 1000
                written = [after - b for after, b in zip(committed(folder), rows, strict=True)]
                took = time.perf_counter() - started
            print(f"{count} live runs: {rate:.1f} kB/s, share of a core {share:.3f}")
            mean, least = statistics.mean(written) / took, min(written) / took
            print(f"rows committed a second and run: {mean:.2f}, at least {least:.2f}, of {RATE}")
            if mean < ENOUGH * RATE * (1 - 1 / seconds):
                print("the writers are starved: measure on a quieter machine", file=sys.stderr)
                return 1
            return 0
        finally:
            writer.kill()
            writer.wait()


if __name__ == "__main__":
    sys.exit(main())
