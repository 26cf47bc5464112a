"""MacroClassifier against one River LogisticRegression: predict_proba_one + learn_one, row by row.

    python tests/benchmarks/estimator.py [ROUNDS] [ROWS]     ratios, the least CPU time of the rounds
    python tests/benchmarks/estimator.py --cold              what the first row costs, empty cache

The first cases are what the paper does, those with `blend` the estimator as it comes. `general` is
the same estimator on the general path, over the first rows only. Features, and classes where there
are more than two, appear over the first half of the rows under `growing`.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
import time

from river.linear_model import LogisticRegression

from macro_engine import MacroClassifier
from macro_engine.estimator.general_path import GeneralPath

GENERAL_ROWS = 300
PAPER = {"strategy": "ftl", "scale": "none", "max_subroutines": None}
LABELS = PAPER | {"history": 1, "thresholds": "paper"}
FEATURES = PAPER | {"distance": "features", "every": 20}
DENSE, SPARSE, GROWING = {"columns": 12}, {"columns": 100, "among": 6}, {"grows": True}
FOUR = {"classes": 4}
GROWING_DENSE = {"columns": 60, "classes": 4} | GROWING
GROWING_SPARSE = {"columns": 300, "among": 6, "classes": 4} | GROWING
CASES = {
    "dense": (DENSE, LABELS),
    "sparse": (SPARSE, LABELS),
    "dense, ewa": (DENSE, LABELS | {"strategy": "ewa"}),
    "dense, 10 rows a step": (DENSE, LABELS | {"every": 10}),
    "sparse, 100 rows a step": (SPARSE, LABELS | {"every": 100}),
    "dense, 4 classes": (DENSE | FOUR, LABELS),
    "sparse, 4 classes, ewa": (SPARSE | FOUR, LABELS | {"strategy": "ewa"}),
    "dense, growing to 60 features, 4 classes": (GROWING_DENSE, LABELS),
    "sparse, growing to 300 features, 4 classes": (GROWING_SPARSE, LABELS),
    "features, 20 rows a step, dense": (DENSE, FEATURES),
    "features, 20 rows a step, sparse": (SPARSE, FEATURES),
    "blend, dense": (DENSE, {}),
    "blend, sparse": (SPARSE, {}),
    "blend, dense, 10 rows a step": (DENSE, {"every": 10}),
    "blend, dense, 4 classes": (DENSE | FOUR, {}),
    "blend, growing to 60 features, 4 classes": (GROWING_DENSE, {}),
    "blend, growing to 300 features, 4 classes": (GROWING_SPARSE, {}),
}
FIRST_ROW = """
import time, sys
from macro_engine import MacroClassifier
started = time.process_time()
model = MacroClassifier(distance=sys.argv[1], strategy=sys.argv[2])
for label in (False, True, False):
    model.predict_proba_one({"a": 1.0})
    model.learn_one({"a": 1.0}, label)
print(time.process_time() - started)
"""


def rows_of(count, columns, among=None, classes=2, grows=False):
    rng = random.Random(0)
    found = []
    for i in range(count):
        share = min(1.0, 2 * i / count) if grows else 1.0
        known = max(min(columns, 12), int(columns * share))
        names = rng.sample(range(known), among) if among else range(known)
        x = {f"f{j:03}": rng.gauss(0, 1) for j in names}
        labels = max(2, int(classes * share))
        is_noise = rng.random() < 0.3
        label = rng.randrange(labels) if is_noise else int(abs(sum(x.values()))) % labels
        found.append((x, label))
    return found


def cpu_seconds(model, rows):
    started = time.process_time()
    for x, y in rows:
        model.predict_proba_one(x)
        model.learn_one(x, y)
    return time.process_time() - started


def general_path(settings):
    return GeneralPath(MacroClassifier(**settings)._settings())


def compare(stream, settings, rounds, count):
    """Microseconds a row of River, of MACRO, and of MACRO on the general path."""
    rows = rows_of(count, **stream)
    binary = [(x, y > 0) for x, y in rows]
    cpu_seconds(MacroClassifier(**settings), rows[:100])  # loads what is compiled
    pairs = [
        (cpu_seconds(LogisticRegression(), binary), cpu_seconds(MacroClassifier(**settings), rows))
        for _ in range(rounds)
    ]
    few = rows[:GENERAL_ROWS]
    general = cpu_seconds(general_path(settings), few)
    return [1e6 * min(of) / count for of in zip(*pairs, strict=True)] + [1e6 * general / len(few)]


def cold(distance, strategy):
    """CPU seconds of the first rows on an empty cache, and in a second process."""
    with tempfile.TemporaryDirectory() as cache:
        command = [sys.executable, "-c", FIRST_ROW, distance, strategy]
        environment = os.environ | {"XDG_CACHE_HOME": cache}
        return [
            float(subprocess.run(command, env=environment, capture_output=True, check=True).stdout)
            for _ in range(2)
        ]


def main():
    if "--cold" in sys.argv:
        for case in (("labels", "blend"), ("labels", "ftl"), ("features", "ftl")):
            first, second = cold(*case)
            name = ", ".join(case)
            print(f"{name}: first row {first:.1f} s of CPU, in a later process {second:.2f} s")
        return
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    print(f"{'':44} {'River':>7} {'MACRO':>7} {'general':>9}  us a row; ratio MACRO / River")
    for name, (stream, settings) in CASES.items():
        river, macro, general = compare(stream, settings, rounds, count)
        print(
            f"{name:44} {river:7.2f} {macro:7.2f} {general:9.1f}  {macro / river:.2f}", flush=True
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"peak memory {peak / 1000:,.0f} MB")


if __name__ == "__main__":
    main()
