"""How fast CSV is read: against Parquet, and against version 0.1.0 or reading record by record.

    python tests/benchmarks/reading.py [ROUNDS [COPIES [FOLDER]]]

Writes the Atlanta replay as CSV, then COPIES of it one after the other (15, or 1.9 million rows), one
with a bad line in 10,000, and a CSV of 1,000 columns. Each is read, encoded and cut into steps, in
turn with what it is compared with: where FOLDER holds the code of version 0.1.0, with that. Prints
seconds of CPU, the least of the rounds, and their ratio.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import process_time
from unittest import mock

import numpy as np
import polars as pl

from macro_engine.options.settings import Layer
from macro_engine.stream.formats import csv
from macro_engine.stream.formats.parquet import ParquetFile
from macro_engine.stream.opening import COMMAND_LINE, open_stream
from macro_engine.stream.table import Rejections

ATLANTA = Path(__file__).parents[2] / "replays" / "airline-ATL.parquet"
WIDE = {
    "label": "y",
    "time": "",
    "features": [f"column_{i}" for i in range(1_000)],
    "categorical": [],
    "every": "10",
}


def seconds(path: Path, asked: dict[str, object]) -> float:
    """Of CPU, on all cores, from opening a recording to its last step."""
    started = process_time()
    opened = open_stream([path], [Layer.read(COMMAND_LINE, asked)])
    for _block in opened.reader(Rejections()).blocks():
        pass
    return process_time() - started


def exactly(path: Path, asked: dict[str, object]) -> float:
    """The same, record by record."""
    with mock.patch.object(csv, "cut", return_value=None):
        return seconds(path, asked)


OLD = """
import json, sys
from pathlib import Path
from time import process_time
from macro_engine.opening import open_stream
from macro_engine.settings import Layer
from macro_engine.stream.source import Recording
from macro_engine.stream.table import Rejections
for line in sys.stdin:
    path, asked = json.loads(line)
    started = process_time()
    opened = open_stream([Path(path)], [Layer.read("command line", asked)])
    for _block in Recording(opened.files, opened.spec, Rejections()).blocks():
        pass
    print(process_time() - started, flush=True)
"""


class Old:
    """A process that reads with the code of version 0.1.0."""

    def __init__(self, folder: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", OLD],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": folder},
            cwd=folder,
            text=True,
        )

    def seconds(self, path: Path, asked: dict[str, object]) -> float:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps([str(path), asked]), file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate()


def compare(
    name: str,
    words: tuple[str, str],
    rounds: int,
    one: Callable[[], float],
    other: Callable[[], float],
) -> None:
    pairs = [(one(), other()) for _ in range(rounds)]
    ours, theirs = (min(times) for times in zip(*pairs, strict=True))
    print(f"{name}: {words[0]} {ours:.3f} s, {words[1]} {theirs:.3f} s; ratio {ours / theirs:.2f}")


def laid(frame: pl.DataFrame, copies: int) -> pl.DataFrame:
    """The rows so many times, each time half a year later."""
    return pl.concat(
        frame.with_columns(pl.col("date") + pl.duration(days=182 * copy)) for copy in range(copies)
    )


@contextmanager
def files(copies: int) -> Iterator[dict[str, Path]]:
    frame = pl.read_parquet(ATLANTA)
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: Path(folder) / f"{name}.csv" for name in ("one", "laid", "bad", "wide")}
        frame.write_csv(paths["one"])
        laid(frame, copies).write_csv(paths["laid"])
        lines = paths["one"].read_text().splitlines()
        lines[5_000::10_000] = ["half a line"] * len(lines[5_000::10_000])
        paths["bad"].write_text("\n".join(lines))
        wide = np.random.default_rng(0).random((400 * copies, 1_000)).round(6)
        labels = pl.Series("y", ["p", "q"] * (200 * copies))
        pl.DataFrame(wide).with_columns(labels).write_csv(paths["wide"])
        yield paths


def main() -> None:
    rounds = int(sys.argv[1]) if sys.argv[1:] else 5
    copies = int(sys.argv[2]) if sys.argv[2:] else 15
    old = Old(sys.argv[3]) if sys.argv[3:] else None
    other, word = (old.seconds, "0.1.0") if old else (exactly, "record by record")
    asked = ParquetFile(ATLANTA).description or {}
    with files(copies) as paths:
        for read in (seconds, other):  # what is loaded once
            for key, settings in (("one", asked), ("wide", WIDE)):
                read(paths[key], settings)
        reads = [partial(seconds, path, asked) for path in (paths["one"], ATLANTA)]
        compare("Atlanta", ("CSV", "Parquet"), 3 * rounds, *reads)  # which take a tenth of a second
        for name, key, settings in (
            ("laid end to end", "laid", asked),
            ("one bad line in 10,000", "bad", asked),
            ("1,000 columns", "wide", WIDE),
        ):
            reads = [partial(read, paths[key], settings) for read in (seconds, other)]
            compare(name, ("now", word), rounds, *reads)
    if old:
        old.close()


if __name__ == "__main__":
    main()
