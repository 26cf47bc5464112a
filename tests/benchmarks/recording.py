"""What recording a run costs.

    python tests/benchmarks/recording.py [COPIES [ROUNDS]]
    python tests/benchmarks/recording.py blend [COPIES [ROUNDS]]

Plays the Atlanta replay laid end to end, preset paper-features, with and without a run file, in
turns: at full speed for the wall time, and, from 8 copies on, an eighth of it at 50,000 rows a
second for the CPU time, both at once so that noise hits both alike. Start-up is left out but for the
CPU time of the whole process. Prints the ratios, and the size of the results against what is promised.
With `blend` it is the whole command, with the replay's own settings and blend.
"""

import json
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from laid import lay

CHILD = """
import asyncio, json, sys, time
from pathlib import Path
from macro_engine.stream.opening import open_stream
from macro_engine.options.presets import preset
from macro_engine.run.engine import Engine, Listener
from macro_engine.run.playing.speed import Speed
stream, run_file, rate = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
marks = []
def mark():
    if not marks:
        marks.append((time.perf_counter(), time.process_time()))
engine = Engine(
    open_stream([stream], [preset("paper-features")]),
    listener=Listener(progress=mark),
    run_file=Path(run_file) if run_file else None,
    speed=Speed(rate=rate or None),
)
asyncio.run(engine.run())
wall, cpu = time.perf_counter() - marks[0][0], time.process_time() - marks[0][1]
print(json.dumps([wall, cpu, time.process_time()]))
"""


def start(stream: Path, run_file: Path | None, rate: float) -> subprocess.Popen[str]:
    if run_file is not None:
        run_file.unlink(missing_ok=True)
    command = [sys.executable, "-c", CHILD, str(stream), str(run_file or ""), str(rate)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def end(process: subprocess.Popen[str]) -> list[float]:
    """Wall and CPU seconds from the first step to the end, and CPU seconds of the whole process."""
    output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(process.returncode)
    return json.loads(output)


def play(stream: Path, run_file: Path | None, rate: float) -> list[float]:
    return end(start(stream, run_file, rate))


def full_speed(stream: Path, run_file: Path, rounds: int) -> None:
    pairs = [(play(stream, None, 0.0)[0], play(stream, run_file, 0.0)[0]) for _ in range(rounds)]
    tell("wall time at full speed", pairs)


def at_a_rate(stream: Path, run_file: Path, rate: float, rounds: int) -> None:
    times = []
    for _ in range(rounds):
        without, with_file = start(stream, None, rate), start(stream, run_file, rate)
        times.append((end(without), end(with_file)))
    for which, what in ((1, "from the first step on"), (2, "of the whole process")):
        pairs = [(a[which], b[which]) for a, b in times]
        tell(f"CPU time at {rate:,.0f} rows/s {what}", pairs)


def tell(what: str, pairs: list[tuple[float, float]]) -> None:
    without, with_file = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(b / a for a, b in pairs)
    print(f"{what}: {with_file:.2f} s with a run file, {without:.2f} s without, ratio {ratio:.3f}")


def size(run_file: Path) -> None:
    connection = sqlite3.connect(run_file)
    info = dict(
        connection.execute("SELECT name, value FROM run WHERE name IN ('summary', 'members')")
    )
    connection.close()
    summary, thresholds = json.loads(info["summary"]), len(json.loads(info["members"]))
    steps, rows = summary["steps"], summary["rows"]
    promised = 60 * steps * thresholds + (24 + thresholds) * rows
    found = run_file.stat().st_size
    print(f"{found:,} bytes in all, {found / promised:.2f} of what is promised for the results")


def whole_command(stream: Path, run_file: Path, rounds: int) -> None:
    command = [sys.executable, "-m", "macro_tui", "replay", str(stream), "--headless", "--blend"]

    def seconds(*options: str) -> float:
        run_file.unlink(missing_ok=True)
        started = time.perf_counter()
        subprocess.run([*command, *options], check=True, stderr=subprocess.DEVNULL)
        return time.perf_counter() - started

    seconds()  # from the cache, from here on
    pairs = [(seconds(), seconds("--run", str(run_file))) for _ in range(rounds)]
    tell("wall time of the command with blend", pairs)


def blend(copies: int = 20, rounds: int = 3) -> None:
    with tempfile.TemporaryDirectory() as name:
        stream = lay(copies, Path(name) / "laid.parquet")
        whole_command(stream, Path(name) / "a.run", rounds)
        print(f"{(Path(name) / 'a.run').stat().st_size:,} bytes in all")


def main() -> None:
    if sys.argv[1:2] == ["blend"]:
        blend(*map(int, sys.argv[2:]))
        return
    copies = int(sys.argv[1]) if sys.argv[1:] else 80
    rounds = int(sys.argv[2]) if sys.argv[2:] else 3
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stream = lay(copies, folder / "laid.parquet")
        full_speed(stream, folder / "a.run", rounds)
        size(folder / "a.run")
        if copies >= 8:
            short = lay(copies // 8, folder / "short.parquet")
            at_a_rate(short, folder / "a.run", 50_000.0, 2 * rounds + 1)


if __name__ == "__main__":
    main()
