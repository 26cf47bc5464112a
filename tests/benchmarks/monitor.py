"""What the monitor costs, each figure against its bound.

    python tests/benchmarks/monitor.py [COPIES [ROUNDS [paint] [bytes] [keys] [speed] [unread]]]

In a pseudo terminal of 80x24: the first paint against that of an app with one label; the Atlanta
replay laid end to end, preset paper-features, at full speed with a run file, with the monitor and
without, and the monitor's memory; the same where the terminal is not read for 10 s; how long a key
takes to show, on both paths; bytes and CPU.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from laid import lay
from recording import play
from terminals import Terminal

BARE = """
from textual.app import App
from textual.widgets import Label
class Bare(App):
    def compose(self):
        yield Label("the one label")
Bare().run()
"""
PLAYED = """
import json, sys, time
from pathlib import Path
from macro_tui.app import Options
from macro_tui.monitor import monitor
from macro_tui.view.meter import memory
stream, run_file, out = map(Path, sys.argv[1:])
marks = []
def load(listener, unnamed):
    from macro_engine.stream.opening import open_stream
    from macro_engine.options.presets import preset
    from macro_engine.run.engine import Engine
    from macro_engine.run.playing.speed import Speed
    keep = listener.results
    def results(found):
        keep(found)
        if not marks or time.perf_counter() > marks[-1][0] + 0.05:
            marks.append((time.perf_counter(), found.first_row, memory()))
    listener.results = results
    opened = open_stream([stream], [preset("paper-features")])
    class Timed(Engine):
        async def run(self):
            await super().run()
            marks.append((time.perf_counter(), self.pipeline.rows, memory()))
    return Timed(opened, listener=listener, run_file=run_file, speed=Speed())
def open_session():
    from macro_engine.run.session import Session
    return Session(load)
code = monitor(open_session, Options("laid.parquet"))
out.write_text(json.dumps(marks))
sys.exit(code)
"""
SCREEN = "[4] MACRO thresholds"
ATLANTA = ("replay", "airline-ATL.parquet")


def first_paint(rounds: int) -> float:
    def seconds(text: str, *arguments: str, **options: object) -> float:
        started = time.perf_counter()
        with Terminal(*arguments, **options) as terminal:
            terminal.wait_for(text)
            return time.perf_counter() - started

    pairs = [
        (seconds("loading the engine", *ATLANTA), seconds("the one label", program=("-c", BARE)))
        for _ in range(rounds)
    ]
    ours, bare = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"first paint: {ours:.2f} s, a bare app {bare:.2f} s, ratio {ours / bare:.2f}")
    return ours / bare


def with_monitor(stream: Path, folder: Path) -> tuple[float, int]:
    """Seconds from the first step to the end, and MB at the end over those at a quarter."""
    run_file, out = folder / "b.run", folder / "marks.json"
    run_file.unlink(missing_ok=True)
    arguments = (str(stream), str(run_file), str(out))
    with Terminal(*arguments, program=("-c", PLAYED)) as terminal:
        terminal.wait_for("THE END", 3600)
        terminal.send("q")
        terminal.wait(10)
    marks = json.loads(out.read_text())
    quarter = next(held for _, row, held in marks if row >= marks[-1][1] / 4)
    return marks[-1][0] - marks[0][0], marks[-1][2] - quarter


def full_speed(copies: int, rounds: int, folder: Path) -> None:
    stream = lay(copies, folder / "laid.parquet")
    ours, headless, grown = [], [], []
    for _ in range(rounds):
        headless.append(play(stream, folder / "a.run", 0.0)[0])
        seconds, more = with_monitor(stream, folder)
        ours.append(seconds)
        grown.append(more)
    a, b = statistics.median(ours), statistics.median(headless)
    print(f"full speed: {a:.2f} s with the monitor, {b:.2f} s headless, ratio {a / b:.3f}")
    print(f"memory: {statistics.median(grown):+.0f} MB from a quarter to the end")


def unread(copies: int, folder: Path, seconds: float = 10.0) -> None:
    """How fast the engine is while nobody reads the terminal, against the seconds before."""
    stream = lay(copies, folder / "laid.parquet")
    out = folder / "marks.json"
    arguments = (str(stream), str(folder / "c.run"), str(out))
    with Terminal(*arguments, program=("-c", PLAYED)) as terminal:
        terminal.wait_for(SCREEN)
        time.sleep(2)  # of starting
        spans = [time.perf_counter()]
        time.sleep(seconds)
        terminal.reading.clear()
        spans.append(time.perf_counter())
        time.sleep(seconds)
        spans.append(time.perf_counter())
        terminal.reading.set()
        terminal.send("q")
        terminal.wait(10)
    marks = [(moment, row) for moment, row, _ in json.loads(out.read_text())]
    rows = [next((row for moment, row in marks if moment >= span), None) for span in spans]
    if None in rows:
        raise SystemExit("the stream was over before; more copies are needed")
    read, not_read = rows[1] - rows[0], rows[2] - rows[1]
    print(
        f"terminal not read for {seconds:g} s: {not_read:,} rows, in as long before {read:,}, "
        f"ratio {not_read / read:.2f}"
    )


def keys(name: str, presses: int, *arguments: str) -> None:
    """From a key to the last of what it changes on the first line."""
    waits = []
    with Terminal(*ATLANTA, *arguments) as terminal:
        terminal.wait_for(SCREEN)
        time.sleep(1)
        for press in range(presses):
            key, text = (("\x1b[D", "LOOKING BACK"), ("\x1b[F", "playing at"))[press % 2]
            before, started = len(terminal.received), time.perf_counter()
            terminal.send(key)
            terminal.wait_for(text, 10, before)
            waits.append(1000 * (time.perf_counter() - started))
            time.sleep(0.113)
    middle, late = statistics.median(waits), statistics.quantiles(waits, n=20)[-1]
    print(f"keys, {name}: {middle:.0f} ms, 95th percentile {late:.0f} ms")


def sent(seconds: float) -> None:
    for name, options in (("default", ()), ("--low-bandwidth", ("--low-bandwidth",))):
        with Terminal(*ATLANTA, *options) as terminal:
            terminal.wait_for(SCREEN)
            print(f"sent, {name}: {terminal.count(seconds) / seconds / 1000:.1f} kB/s")
            terminal.send(" ")
            time.sleep(4)
            before = terminal.cpu_seconds()
            count = terminal.count(seconds)
            share = (terminal.cpu_seconds() - before) / seconds
            print(f"paused, {name}: {count} bytes, {share:.2%} of a core")


def main() -> None:
    copies = int(sys.argv[1]) if sys.argv[1:] else 80
    rounds = int(sys.argv[2]) if sys.argv[2:] else 3
    parts = sys.argv[3:] or ["paint", "bytes", "keys", "speed", "unread"]
    if "paint" in parts:
        first_paint(2 * rounds + 1)
    if "bytes" in parts:
        sent(min(10.0, 3.0 * rounds))
    if "keys" in parts:
        keys("compiled path", 20 * rounds)
        keys("general path", 20 * rounds, "--subroutine", "river:linear_model.LogisticRegression()")
    if "speed" in parts:
        with tempfile.TemporaryDirectory() as name:
            full_speed(copies, rounds, Path(name))
    if "unread" in parts:
        with tempfile.TemporaryDirectory() as name:
            unread(copies, Path(name))


if __name__ == "__main__":
    main()
