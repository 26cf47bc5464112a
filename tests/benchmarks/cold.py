"""What compiling costs: CPU seconds of the first run on an empty cache, less those of the second.

    python tests/benchmarks/cold.py [labels-logistic ...]

Each run is a process of its own that takes one row through everything that a replay computes.
"""

import os
import resource
import subprocess
import sys
import tempfile

SETTINGS = ("labels-logistic", "features-logistic", "frames-nearest-mean", "labels-logistic+blend")
RUN = """
import sys
import numpy as np
from macro_engine.algorithm.compiled_family import CompiledFamily, CompiledRules
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.core.members import grid
from macro_engine.core.rows import Block, Columns, Rows
from macro_engine.discrepancy import Shape
setting, *more = sys.argv[1].split("+")
distance, learner = setting.split("-", 1)
columns = Columns(("a", "b"), ("c",), (("x",),))
rules = CompiledRules(grid([5], [0.1, 0.2]), distance, Shape(2, 2, 5, True), learner)
ensemble = Ensemble(CompiledFamily(rules, columns), columns, ("ftl", "ewa", *more), compiled=True)
numbers = np.zeros((1, 2))
rows = Rows(numbers, np.zeros((1, 1), np.int64), np.zeros(1, np.int64), columns, units=numbers)
ensemble.run(Block(rows, np.array([0, 1]), None, 0, 0))
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
