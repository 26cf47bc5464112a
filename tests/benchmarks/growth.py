"""Whether time and memory grow with the length of a stream.

    python tests/benchmarks/growth.py [COPIES [PRESET]]

The Atlanta replay is laid end to end, times shifted, and run through the compiled ensemble copy by
copy. Prints the time of each copy, the fourth against the second, and the memory that the engine
holds after each.
"""

import sys
from time import perf_counter

from macro_engine.algorithm.compiled_family import CompiledFamily, CompiledSettings
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.core.members import grid
from macro_engine.core.rows import Block
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.run.score.scoreboard import Scoreboard
from macro_engine.stream.opening import open_stream
from macro_engine.stream.table import Rejections
from macro_tui.replays import find_recording

STEPS_AT_ONCE = 2000


def main() -> None:
    copies = int(sys.argv[1]) if sys.argv[1:] else 6
    distance = sys.argv[2] if sys.argv[2:] else "features"
    opened = open_stream([find_recording("airline-ATL.parquet")])
    block = next(opened.reader(Rejections()).blocks())
    span = int(block.times[-1]) - int(block.times[0]) + 600_000_000
    thresholds = list(DISTANCES[distance].thresholds)
    history = DISTANCES[distance].history
    shape = Shape(2, len(block.rows.columns.numbers), history)
    columns = block.rows.columns
    settings = CompiledSettings(grid([history], thresholds), distance, shape, "logistic")
    ensemble = Ensemble(CompiledFamily(settings, columns), columns, compiled=True)
    board = Scoreboard(ensemble.names, "ftl")
    ensemble.learn(block.cut(0, 1))  # compiled before the clock runs
    seconds = []
    for copy in range(copies):
        shifted = Block(
            block.rows, block.starts, block.times + copy * span, copy * len(block.rows), 0
        )
        started = perf_counter()
        for start in range(0, block.steps, STEPS_AT_ONCE):
            part = shifted.cut(start, min(start + STEPS_AT_ONCE, block.steps))
            board.update(ensemble.run(part, board.totals))
        seconds.append(perf_counter() - started)
        held = ensemble.family.bytes_held / 1e6
        print(
            f"copy {copy + 1}: {seconds[-1]:.3f} s, {int(board.subroutines.sum())} subroutines, "
            f"{ensemble.family.reference_count} references, {held:.2f} MB held"
        )
    if copies >= 4:
        print(f"fourth to second: {seconds[3] / seconds[1]:.2f}")


if __name__ == "__main__":
    main()
