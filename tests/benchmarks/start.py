"""How long it takes from the command to the first step, against importing Polars and River.

    python tests/benchmarks/start.py [ROUNDS [--warm]]

The command runs a recording of one step, first with an empty cache (not with --warm), then with a
warm one, in turn with the imports. Prints the middle of the rounds and their ratio.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

IMPORTS = [sys.executable, "-c", "import polars, river.linear_model"]


def seconds(command: list[str], env: dict[str, str]) -> float:
    started = perf_counter()
    subprocess.run(command, env=env, check=True, capture_output=True)
    return perf_counter() - started


def main() -> None:
    rounds = int(sys.argv[1]) if sys.argv[1:] else 7
    warm = "--warm" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        recording = Path(folder) / "one.csv"
        recording.write_text("a,y\n1,p\n2,q\n")
        command = [sys.executable, "-m", "macro_tui", "replay", str(recording)]
        command += ["--headless", "--every", "10"]
        env = os.environ | ({} if warm else {"XDG_CACHE_HOME": folder})
        first = seconds(command, env)
        if not warm:
            print(f"cold cache: {first:.2f} s")
        pairs = [(seconds(command, env), seconds(IMPORTS, env)) for _ in range(rounds)]
    ours, theirs = (statistics.median(times) for times in zip(*pairs, strict=True))
    ratio = statistics.median(a / b for a, b in pairs)
    print(
        f"warm cache: {ours:.2f} s; importing polars and river: {theirs:.2f} s; ratio {ratio:.2f}"
    )


if __name__ == "__main__":
    main()
