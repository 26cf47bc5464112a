"""What compiling costs: CPU seconds of the first run on an empty cache, less those of the second.

    python tests/benchmarks/cold.py [labels-logistic features-logistic+blend ...]

Each run is a process of its own that loads all kernels of a replay.
"""

import os
import resource
import subprocess
import sys
import tempfile

SETTINGS = ("labels-logistic", "features-logistic", "frames-nearest-mean", "labels-logistic+blend")
RUN = """
import sys
from macro_engine.algorithm.needed_kernels import NeededKernels
family, _, blend = sys.argv[1].partition("+")
strategies = ("ftl", "ewa", blend) if blend else ("ftl", "ewa")
NeededKernels(*family.split("-", 1), strategies, bool(blend), False, bool(blend)).load()
"""


def cpu_seconds(setting: str, cache: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-c", RUN, setting]
    subprocess.run(command, env=os.environ | {"XDG_CACHE_HOME": cache}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    for setting in sys.argv[1:] or SETTINGS:
        with tempfile.TemporaryDirectory() as cache:
            cold, warm = cpu_seconds(setting, cache), cpu_seconds(setting, cache)
            files = [os.path.join(at, name) for at, _, names in os.walk(cache) for name in names]
            size = sum(map(os.path.getsize, files))
        print(f"{setting}: kernels {cold - warm:.1f} s, warm {warm:.1f} s, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
