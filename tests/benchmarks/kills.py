"""Whether a run that is killed again and again ends as if it had never been.

    python tests/benchmarks/kills.py [KILLS [COPIES [blend]]]

Runs the Atlanta replay laid end to end with a run file that commits far more often than usual, and
kills the process with SIGKILL at random moments: in steps, in commits, while the file grows; with
`blend` under the replay's own settings and blend, else under the preset paper-features. Then
compares predictions, trace and state with those of a run that nobody disturbed, byte for byte.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from laid import lay

from macro_engine.core.state import pack
from macro_engine.run.store.runfile import RunReader

CHILD = """
import asyncio, os, sys, threading, time
from pathlib import Path
import macro_engine.run.store.recorder as recorder
from macro_engine.stream.opening import open_stream
from macro_engine.options.presets import preset
from macro_engine.options.settings import Layer
from macro_engine.run.engine import Engine, Listener
recorder.COMMIT_SECONDS, recorder._REST = 0.02, 0
stream, run_file, delay = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
begun = threading.Event()
def kill():
    begun.wait()
    time.sleep(delay)
    os.kill(os.getpid(), 9)
if delay:
    threading.Thread(target=kill, daemon=True).start()
engine = Engine(
    open_stream([stream], [Layer("", {"blend": True}) if sys.argv[4:] else preset("paper-features")]),
    run_file.with_suffix(".predictions.parquet"),
    run_file.with_suffix(".trace.parquet"),
    Listener(progress=begun.set),
    run_file,
)
asyncio.run(engine.run())
"""


def run(stream: Path, run_file: Path, delay: float) -> int:
    command = [sys.executable, "-c", CHILD, str(stream), str(run_file), str(delay), *sys.argv[3:4]]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode


def left_by(run_file: Path) -> dict[str, bytes]:
    reader = RunReader(run_file)
    state = {name: pack(part) for name, part in reader.state().items()}
    reader.close()
    for kind in ("predictions", "trace"):
        state[kind] = run_file.with_suffix(f".{kind}.parquet").read_bytes()
    return state


def main() -> None:
    kills = int(sys.argv[1]) if sys.argv[1:] else 100
    copies = int(sys.argv[2]) if sys.argv[2:] else 8
    rng = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        stream = lay(copies, folder / "laid.parquet")
        assert run(stream, folder / "whole.run", 0) == 0
        died = ended = 0
        while died < kills:
            # a run that got to its end before the kill starts anew
            code = run(stream, folder / f"killed{ended}.run", rng.random() * 0.2 + 0.001)
            died += code == -signal.SIGKILL
            assert code in (0, -signal.SIGKILL)
            ended += code == 0
        assert run(stream, folder / f"killed{ended}.run", 0) == 0
        whole = left_by(folder / "whole.run")
        same = sum(left_by(folder / f"killed{n}.run") == whole for n in range(ended + 1))
        steps = RunReader(folder / "whole.run").steps
        print(
            f"{died} kills in {ended + 1} runs of {steps:,} steps; {same} ended as if undisturbed"
        )
        sys.exit(same != ended + 1)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    main()
