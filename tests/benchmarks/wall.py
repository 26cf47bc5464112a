"""What a wall of many live runs costs.

    python tests/benchmarks/wall.py [RUNS [SECONDS]]

Tails of 5 rows a second each are followed by one wall in a pseudo terminal of 160x50: CPU of the
wall as a share of a core, and its first line against the first paint of `watch` on one of the runs.
The run files are written by one process, through the recorder that tails use, commit by commit.
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

# Each run in a thread of its own: an engine over a file that grows by a row every 0.2 s.
RUN = """
import asyncio, datetime, random, sys, threading, time
from pathlib import Path
folder, count = Path(sys.argv[1]), int(sys.argv[2])
from macro_engine.options.settings import Layer
from macro_engine.run.engine import Engine
from macro_engine.stream.live.beginning import GrowingFile
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
        GrowingFile(stream), [Layer.read("the benchmark", values(), of_user=True)],
        wait=lambda _why: time.sleep(0.1),
    )
    asyncio.run(Engine(opened, run_file=folder / f"r{i:02}.run").run())
now = datetime.datetime.now()
for i in range(count):
    past = (now - datetime.timedelta(seconds=0.2 * k) for k in range(300, 0, -1))
    (folder / f"s{i}.csv").write_text(HEADER + "".join(map(row, past)))
    threading.Thread(target=run, args=[i], daemon=True).start()
while True:
    for i in range(count):
        with open(folder / f"s{i}.csv", "a") as file:
            file.write(row(datetime.datetime.now()))
    time.sleep(0.2)
"""


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


def main() -> None:
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
                before, sent = terminal.cpu_seconds(), len(terminal.received)
                time.sleep(seconds)
                share = (terminal.cpu_seconds() - before) / seconds
                rate = (len(terminal.received) - sent) / seconds / 1000
                print(f"{count} live runs: {rate:.1f} kB/s, share of a core {share:.3f}")
        finally:
            writer.kill()
            writer.wait()


if __name__ == "__main__":
    main()
