"""How fast the past of a long run is told.

    python tests/benchmarks/history.py [COPIES]

Records the Atlanta replay laid end to end (56 copies: over a million steps), opens the run file and
asks for a screen of 200 columns: all error curves, moving and since the start, and the weights, over
the whole run and zoomed in at several places; and for single moments.
"""

import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from laid import lay
from recording import play

from macro_engine.run.history.history import History
from macro_engine.run.store.combined_reader import CombinedReader
from macro_engine.run.store.runfile import RunReader

COLUMNS = 200


def screen(history: History, first: int, last: int) -> float:
    """Milliseconds for a screen of steps, once warm."""
    moments = np.unique(np.linspace(first, last, COLUMNS + 1).astype(int)[1:])
    for _ in range(2):
        started = perf_counter()
        history.errors(moments, None)
        history.errors(moments, 512)
        history.weights(moments)
        spent = perf_counter() - started
    return 1000 * spent


def main() -> None:
    copies = int(sys.argv[1]) if sys.argv[1:] else 56
    with tempfile.TemporaryDirectory() as name:
        run_file = Path(name) / "a.run"
        play(lay(copies, Path(name) / "laid.parquet"), run_file, 0.0)
        reader = RunReader(run_file)
        history = History(reader.names, tuple(reader.classes), CombinedReader(reader).parts)
        for results in reader.all_results():
            history.append(results)
        steps = history.steps
        times = []
        for share in (1, 4, 64, 1024, 16384):
            for place in (0.1, 0.5, 1.0):
                last = max(int(place * steps), COLUMNS)
                times.append(screen(history, max(last - max(steps // share, COLUMNS), 0), last))
        print(f"{steps:,} steps: a screen takes {min(times):.1f} to {max(times):.1f} ms")
        rng = np.random.default_rng(0)
        started = perf_counter()
        for step in rng.integers(0, steps, 200).tolist():
            history.moment(step)
        print(f"a single moment takes {(perf_counter() - started) / 200 * 1000:.1f} ms")
        reader.close()


if __name__ == "__main__":
    main()
