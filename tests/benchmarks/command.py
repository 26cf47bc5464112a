"""What a whole command takes on a warm cache: CPU seconds and memory, against other code.

    python tests/benchmarks/command.py [ROUNDS [FOLDER]]

Runs `replay airline-ATL --headless` with this code, in turn with the code in FOLDER (version 0.1.0).
Prints the least and the middle of the rounds, and the ratio of the middles.
"""

import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "macro_tui", "replay", "airline-ATL", "--headless"]


def measured(folder: Path) -> tuple[float, float]:
    """CPU seconds and the largest number of MB of one run."""
    env = os.environ | {"PYTHONPATH": str(folder)}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # as where it is installed
    process = subprocess.Popen(
        COMMAND, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    rounds = int(sys.argv[1]) if sys.argv[1:] else 5
    folders = [HERE, *map(Path, sys.argv[2:3])]
    for folder in folders:  # which fills the cache
        measured(folder)
    runs = [[measured(folder) for folder in folders] for _ in range(rounds)]
    middles = []
    for name, of_one in zip(("now", "0.1.0"), zip(*runs, strict=True), strict=False):
        seconds, megabytes = zip(*of_one, strict=True)
        middles.append(statistics.median(seconds))
        print(
            f"{name}: {min(seconds):.2f} s at least, {middles[-1]:.2f} s in the middle, "
            f"{max(megabytes):.0f} MB at most"
        )
    if folders[1:]:
        print(f"ratio {middles[0] / middles[1]:.2f}")


if __name__ == "__main__":
    main()
