"""MacroClassifier as it comes beside classifiers of River's, on streams that need no download.

    python tests/benchmarks/classifiers.py [SEEDS] [ROWS] [NAME ...]    the table of docs/python.md

Error in % (predict_one, then learn_one), and CPU time a row. A seed is that of the generator and of
the model, where it has one; data sets are the same for every seed, so that a model without a seed
runs once on them. NAME picks classifiers: `MacroClassifier` and `LogisticRegression` alone are fast.
"""

import statistics
import sys
import time

from river import datasets, ensemble, forest, linear_model, multiclass, preprocessing, tree
from river.datasets import synth

from macro_engine import MacroClassifier

SEEDS, ROWS = 10, 10_000
DATA_SETS = {
    "Phishing": datasets.Phishing,
    "Bananas": datasets.Bananas,
    "ImageSegments": datasets.ImageSegments,
}
GENERATORS = {
    "SEA": lambda seed: synth.SEA(seed=seed),
    "Agrawal": lambda seed: synth.Agrawal(seed=seed),
    "LED": lambda seed: synth.LED(seed=seed),
    "Hyperplane": lambda seed: synth.Hyperplane(seed=seed),
}


def logistic_regression(_seed, classes):
    model = linear_model.LogisticRegression()
    if classes > 2:
        model = multiclass.OneVsRestClassifier(model)
    return preprocessing.StandardScaler() | model


CLASSIFIERS = {
    "MacroClassifier": lambda _seed, _classes: MacroClassifier(),
    "LogisticRegression": logistic_regression,
    "HoeffdingAdaptiveTree": lambda seed, _: tree.HoeffdingAdaptiveTreeClassifier(seed=seed),
    "ADWINBagging": lambda seed, _: ensemble.ADWINBaggingClassifier(
        tree.HoeffdingTreeClassifier(), n_models=10, seed=seed
    ),
    "ARF": lambda seed, _: forest.ARFClassifier(n_models=10, seed=seed),
}
WITHOUT_SEED = ("MacroClassifier", "LogisticRegression")


def stream_of(name, seed, rows):
    if name in DATA_SETS:
        return list(DATA_SETS[name]())[:rows]
    return list(GENERATORS[name](seed).take(rows))


def measure(model, stream):
    """The error in %, and microseconds of CPU a row."""
    wrong, started = 0, time.process_time()
    for x, y in stream:
        wrong += model.predict_one(x) != y
        model.learn_one(x, y)
    return 100 * wrong / len(stream), 1e6 * (time.process_time() - started) / len(stream)


def measured(classifier, name, seeds, rows):
    """Mean error, its range, and the median time a row, over the seeds."""
    if name in DATA_SETS and classifier in WITHOUT_SEED:
        seeds = 1
    found = []
    for seed in range(seeds):
        stream = stream_of(name, seed, rows)
        model = CLASSIFIERS[classifier](seed, len({y for _, y in stream}))
        found.append(measure(model, stream))
    errors, times = zip(*found, strict=True)
    return statistics.mean(errors), max(errors) - min(errors), statistics.median(times)


def main():
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    seeds, rows = [*numbers, *(SEEDS, ROWS)[len(numbers) :]]
    chosen = [word for word in sys.argv[1:] if not word.isdigit()] or list(CLASSIFIERS)
    streams = [*DATA_SETS, *GENERATORS]
    measure(MacroClassifier(), stream_of("SEA", 0, 100))  # loads what is compiled
    measure(MacroClassifier(), stream_of("LED", 0, 100))
    print(f"{seeds} seeds, {rows:,} rows at most; mean error in %, its range, us a row")
    for classifier in chosen:
        means = []
        for name in streams:
            error, span, us = measured(classifier, name, seeds, rows)
            means.append(error)
            print(f"{classifier:22} {name:14} {error:6.2f} {span:5.2f} {us:8.1f}", flush=True)
        print(f"{classifier:22} {'mean':14} {statistics.mean(means):6.2f}", flush=True)


if __name__ == "__main__":
    main()
