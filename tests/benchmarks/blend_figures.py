"""What blend reaches on flights, beside a reference that another program computes.

    python tests/benchmarks/blend_figures.py REFERENCE.py RAW.csv.bz2...|RECORDING.parquet... [--seeds N]

Prepares the arrivals at the paper's seven airports, or takes recordings that were prepared, and runs
them under the labels distance with an hour of history, as `macro-tui replay --preset paper-labels --history 6 --blend --max-subroutines 64`
does. Prints error rates in %, the largest difference to the reference's probabilities on the same
arrays, the range over other draws of the tilings, and the error without the family.
"""

import argparse
import importlib.util
import json
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from dataexpo import AIRPORTS, run

from macro_engine.algorithm.compiled_family import CompiledFamily, CompiledSettings
from macro_engine.algorithm.no_change import NoChange
from macro_engine.algorithm.persistence import Persistence
from macro_engine.blend import shape as blend_shape
from macro_engine.blend.compiled import CompiledBlend
from macro_engine.blend.shape import Evidence
from macro_engine.core.members import grid
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.stream.opening import open_stream
from macro_engine.stream.table import Rejections

MOST = 64  # subroutines, as in the reference
COMMAND = ["--preset", "paper-labels", "--history", "6", "--max-subroutines", str(MOST)]


def arrays(path):
    """The evidence, labels and starts of a whole recording."""
    opened = open_stream([path])
    blocks = list(opened.reader(Rejections()).blocks())
    numbers = np.concatenate([b.rows.numbers for b in blocks])
    slots = np.concatenate([b.rows.slots for b in blocks])
    labels = np.concatenate([b.rows.labels for b in blocks])
    lengths = np.concatenate([np.diff(b.starts) for b in blocks])
    starts = np.concatenate([[0], np.cumsum(lengths)])
    members = grid([6], DISTANCES["labels"].thresholds)
    columns = blocks[-1].rows.columns
    settings = CompiledSettings(
        members, "labels", Shape(2, numbers.shape[1], 6), "logistic", most=MOST
    )
    family = CompiledFamily(settings, columns)
    p = np.concatenate([family.run(b, True).probabilities for b in blocks], axis=1)
    _, unchanged = NoChange(Persistence(2)).run_compiled(labels, starts)
    return Evidence(numbers, numbers, slots, p[-1], unchanged, p[:-1]), labels, starts


def blended(evidence, labels, starts):
    d, c = evidence.numbers.shape[1], evidence.codes.shape[1]
    shape = blend_shape.BlendShape.of(2, d, c, len(evidence.members))
    return CompiledBlend(shape).run(evidence, labels, starts).probabilities


def error(q, labels):
    return 100 * float((q.argmax(axis=1) != labels).mean())


def over_seeds(evidence, labels, starts, seeds):
    tiling_sets, found = blend_shape.TILING_SETS, []
    for seed in range(1, seeds + 1):
        blend_shape.TILING_SETS = tuple(replace(p, seed=p.seed - 1 + seed) for p in tiling_sets)
        found.append(error(blended(evidence, labels, starts), labels))
    blend_shape.TILING_SETS = tiling_sets
    return found


def reference_from(path):
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prepared(files, folder):
    """Recordings, made from raw files where these are none."""
    if all(file.endswith(".parquet") for file in files):
        return [Path(file) for file in files]
    found = []
    for airport in AIRPORTS:
        found.append(Path(folder) / f"{airport}.parquet")
        run("prepare", "airline", *files, "--airport", airport, "--out", str(found[-1]))
    return found


def line(path, reference, seeds):
    """The figures of one recording."""
    told = json.loads(run("replay", str(path), "--headless", "--json", "--blend", *COMMAND))
    evidence, labels, starts = arrays(path)
    q = blended(evidence, labels, starts)
    assert abs(told["errors"]["blend"] - error(q, labels) / 100) < 1e-12
    sizes = [int(n) for n in evidence.codes.max(axis=0) + 1]
    other = reference.run(
        evidence.numbers, evidence.units, evidence.codes, sizes, labels, starts, 2
    )["Q"]
    draws = over_seeds(evidence, labels, starts, seeds)
    alone = replace(evidence, members=evidence.members[:0])
    names = ("marginal", "no_change", "ftl", "ewa", "blend")
    return [
        path.stem,
        *(f"{100 * told['errors'][name]:.2f}" for name in names),
        f"{error(other, labels):.2f}",
        f"{abs(q - other).max():.1e}",
        f"{np.mean(draws):.2f} [{min(draws):.2f}, {max(draws):.2f}]",
        f"{error(blended(alone, labels, starts), labels):.2f}",
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("reference", type=Path)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--seeds", type=int, default=10)
    given = parser.parse_args()
    reference = reference_from(given.reference)
    heads = ["", "marginal", "no-change", "FTL", "EWA", "blend", "reference", "difference of Q"]
    print(f"| {' | '.join([*heads, f'{given.seeds} draws', 'without MACRO'])} |")
    print("|---" * (len(heads) + 2) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for path in prepared(given.files, folder):
            print(f"| {' | '.join(line(path, reference, given.seeds))} |", flush=True)


if __name__ == "__main__":
    main()
