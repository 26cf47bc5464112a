"""How long a run takes to end when it is stopped while it catches up.

    python tests/benchmarks/stops.py [STOPS [SECONDS]]

Tails a long file with a run file, headless, and stops it with SIGTERM at random moments: while it
opens the run file, in steps, in commits. Every stop must end with exit code 130 within so many
seconds (2) and leave one whole run file, from which the same command goes on.
"""

import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from made_streams import random_block

from macro_engine.run.store.runfile import RunReader
from macro_tui.cli import main as macro_tui

ROWS = 600_000
OPTIONS = ["--time", "when", "--label", "late", "--features", "a,b", "--every", "30m"]
SETTLED = ["--classes", "0,1", "--scale", "none", "--close-after", "never", "--headless"]


def write(path: Path, rows: int) -> None:
    rng = random.Random(1)
    with path.open("w") as file:
        file.write("when,a,b,late\n")
        for i in range(rows):
            a, b = rng.random(), rng.random()
            late = int(a + 0.5 * (i // 500 % 2) > 0.75)
            file.write(f"{1_700_000_000 + 180 * i},{a:.4f},{b:.4f},{late}\n")


def warm_up(feed: Path) -> None:
    """Imports and compiles everything here, so that forked processes begin at once.

    Nothing is read: Polars would start threads, which a forked process does not have.
    """
    import macro_engine.stream.live.beginning  # noqa: F401
    import macro_tui.cli.tail
    import macro_tui.headless  # noqa: F401
    from macro_engine.options.settings import Layer
    from macro_engine.run.pipeline import Pipeline
    from macro_engine.stream.opening import open_stream

    write(feed, 100)
    settings = {"time": "when", "label": "late", "features": "a,b", "every": "30m"}
    opened = open_stream([feed], [Layer.read("warm up", settings, of_user=True)])
    pipeline, block = Pipeline(opened, False, lambda _words: None), random_block(1, 2, [5] * 20)
    rows = replace(block.rows, units=block.rows.numbers.clip(0, 1))  # which blend needs
    block = replace(block, rows=rows)
    pipeline.start(("0", "1"), block.rows.columns, None)
    pipeline.run(block)


def tail(feed: Path, run_file: Path, log: Path) -> None:
    standard_error = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(standard_error, 2)
    command = ["tail", str(feed), *OPTIONS, *SETTLED, "--run", str(run_file)]
    os._exit(macro_tui(command))


def stop(feed: Path, folder: Path, delay: float) -> tuple[float, int | None]:
    """Seconds until the end, and the exit code."""
    run_file = folder / "a.run"
    process = multiprocessing.get_context("fork").Process(
        target=tail, args=(feed, run_file, folder / "log")
    )
    process.start()
    lock = folder / "a.run-lock"
    while not lock.exists() and process.is_alive():
        time.sleep(0.001)
    time.sleep(delay)
    started = time.monotonic()
    os.kill(process.pid, signal.SIGTERM)
    process.join(20)
    took = time.monotonic() - started
    if process.exitcode is None:
        process.kill()
    return took, process.exitcode


def main() -> None:
    stops = int(sys.argv[1]) if sys.argv[1:] else 300
    bound = float(sys.argv[2]) if sys.argv[2:] else 2.0
    rng = random.Random(2)
    durations, wrong, steps = [], [], set()
    with tempfile.TemporaryDirectory() as name:
        feed = Path(name) / "live.csv"
        warm_up(Path(name) / "short.csv")
        write(feed, ROWS)
        for n in range(stops):
            folder = Path(name) / str(n // 5)  # five stops of one run, which goes on in between
            folder.mkdir(exist_ok=True)
            delay = rng.random() * 0.8
            took, code = stop(feed, folder, delay)
            durations.append(took)
            left = sorted(path.name for path in folder.iterdir())
            with closing(RunReader(folder / "a.run")) as reader:
                list(reader.all_results())
                steps.add((folder, reader.steps))
            if took > bound or code != 130 or left != ["a.run", "log"]:
                said = (folder / "log").read_text().splitlines()[-1:]
                wrong.append((n, round(delay, 2), round(took, 2), code, left, said))
    durations.sort()
    middle = durations[len(durations) // 2]
    print(
        f"{stops} stops at {len(steps)} moments: half within {middle:.2f} s, all within "
        f"{durations[-1]:.2f} s"
    )
    for one in wrong:
        print("not as it should be:", *one)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
