"""MacroClassifier as it comes beside classifiers of River's, on streams that need no download.

    python tests/benchmarks/classifiers.py [SEEDS] [ROWS] [NAME ...] [FILE.jsonl]

The table of docs/python.md.

Error in % (predict_one, then learn_one), and CPU time a row. A seed is that of the generator and of
the model, where it has one; data sets are the same for every seed, so that a model without a seed
runs once on them. NAME picks classifiers: `MacroClassifier` and `LogisticRegression` alone are fast.
FILE.jsonl keeps each measurement as it is made: killed, the same command goes on from there.
"""

import json
import statistics
import sys
import time
from pathlib import Path

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
STREAMS = (*DATA_SETS, *GENERATORS)


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


def seeds_of(classifier, name, seeds):
    return 1 if name in DATA_SETS and classifier in WITHOUT_SEED else seeds


def measured(classifier, name, seed, rows):
    stream = stream_of(name, seed, rows)
    model = CLASSIFIERS[classifier](seed, len({y for _, y in stream}))
    return measure(model, stream)


def known_from(path, rows):
    """What an earlier start has written, by classifier, stream and seed."""
    lines = path.read_text().splitlines() if path and path.exists() else []
    records = [json.loads(line) for line in lines]
    return {
        (record["classifier"], record["stream"], record["seed"]): (record["error"], record["us"])
        for record in records
        if record["rows"] == rows
    }


def fill(known, chosen, seeds, rows, path):
    """Run what is not known yet, one seed after the other, and write each as soon as it is there."""
    for seed in range(seeds):
        for classifier in chosen:
            for name in STREAMS:
                key = classifier, name, seed
                if key in known or seed >= seeds_of(classifier, name, seeds):
                    continue
                error, us = known[key] = measured(classifier, name, seed, rows)
                record = dict(zip(("classifier", "stream", "seed"), key, strict=True))
                record |= {"rows": rows, "error": error, "us": us}
                if path:
                    with path.open("a") as file:
                        file.write(json.dumps(record) + "\n")


def main():
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    seeds, rows = [*numbers, *(SEEDS, ROWS)[len(numbers) :]]
    chosen = [word for word in sys.argv[1:] if word in CLASSIFIERS] or list(CLASSIFIERS)
    path = next((Path(word) for word in sys.argv[1:] if word.endswith(".jsonl")), None)
    measure(MacroClassifier(), stream_of("SEA", 0, 100))  # loads what is compiled
    measure(MacroClassifier(), stream_of("LED", 0, 100))
    known = known_from(path, rows)
    fill(known, chosen, seeds, rows, path)
    print(f"{seeds} seeds, {rows:,} rows at most; mean error in %, its range, us a row")
    for classifier in chosen:
        means = []
        for name in STREAMS:
            found = [
                known[classifier, name, seed] for seed in range(seeds_of(classifier, name, seeds))
            ]
            errors, times = zip(*found, strict=True)
            means.append(statistics.mean(errors))
            span, us = max(errors) - min(errors), statistics.median(times)
            print(f"{classifier:22} {name:14} {means[-1]:6.2f} {span:5.2f} {us:8.1f}")
        print(f"{classifier:22} {'mean':14} {statistics.mean(means):6.2f}")


if __name__ == "__main__":
    main()
