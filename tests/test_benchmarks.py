"""Short forms of the benchmarks, so that they keep working and their bounds are watched."""

import re
import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parent / "benchmarks"


def run(name, *arguments):
    done = subprocess.run(
        [sys.executable, BENCHMARKS / name, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_memory_does_not_grow_with_the_file():
    def peak(rows):
        found = re.search(r"peak memory ([\d,]+) MB", run("large_files.py", str(rows)))
        return int(found[1].replace(",", ""))

    assert peak(2_000_000) <= peak(400_000) + 60
