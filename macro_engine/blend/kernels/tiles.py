"""What the experts on tiles say and learn."""

from __future__ import annotations

import math

import numpy as np

from macro_engine.blend.kernels.arithmetic import sigmoid
from macro_engine.blend.kernels.compiling import borrowing
from macro_engine.blend.tilings import ADAGRAD, CELLS, FAST, SLOW, SQUARES

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SPREAD = np.uint64(1000003)
_LAST = np.uint64(CELLS - 1)
_20, _29, _32 = np.uint64(20), np.uint64(29), np.uint64(32)


@borrowing
def find_cells(  # type: ignore[no-untyped-def]
    units, codes, depths, columns, bins, offsets, addends, cells
):
    """The cells of a row, sets by tilings."""
    for s in range(depths.shape[0]):
        for t in range(depths.shape[1]):
            h = np.uint64(0)
            for a in range(depths[s, t]):
                f = columns[s, t, a]
                if f < len(units):
                    tile = np.int64(units[f] * bins[s, t, a] + offsets[s, t, a])
                else:
                    tile = codes[f - len(units)]
                h = h * _SPREAD + np.uint64(tile) + addends[s, t, a]
                h = (h ^ (h >> _29)) * _FACTOR
                h = (h ^ (h >> _32)) * _FACTOR
            cells[s, t] = np.uint16((h >> _20) & _LAST)


@borrowing
def tiles_say(cells, biases, tables, margins, said):  # type: ignore[no-untyped-def]
    """What each model of each learner says: its bias and its cells, in order."""
    models = biases.shape[2]
    for s in range(biases.shape[0]):
        for v in range(SQUARES):
            for m in range(models):
                margins[v, m] = biases[s, v, m]
        if models == 1:
            slow, fast, adagrad = margins[SLOW, 0], margins[FAST, 0], margins[ADAGRAD, 0]
            for t in range(cells.shape[1]):
                cell = np.int64(cells[s, t])
                slow += tables[s, cell, SLOW, 0]
                fast += tables[s, cell, FAST, 0]
                adagrad += tables[s, cell, ADAGRAD, 0]
            margins[SLOW, 0], margins[FAST, 0], margins[ADAGRAD, 0] = slow, fast, adagrad
        else:
            for t in range(cells.shape[1]):
                cell = np.int64(cells[s, t])
                for v in range(SQUARES):
                    for m in range(models):
                        margins[v, m] += tables[s, cell, v, m]
        for v in range(SQUARES):
            for m in range(models):
                said[s, v, m] = sigmoid(margins[v, m])


@borrowing
def tiles_learn(  # type: ignore[no-untyped-def]
    cells, label, said, rates, biases, tables, changed, moves
):
    models = biases.shape[2]
    for s in range(biases.shape[0]):
        for m in range(models):
            target = 1.0 if label == (1 if models == 1 else m) else 0.0
            gradient = said[s, ADAGRAD, m] - target
            moves[SLOW, m] = (said[s, SLOW, m] - target) * rates[s, SLOW]
            moves[FAST, m] = (said[s, FAST, m] - target) * rates[s, FAST]
            moves[ADAGRAD, m] = gradient * rates[s, ADAGRAD]
            moves[SQUARES, m] = gradient * gradient
            biases[s, SQUARES, m] += moves[SQUARES, m]
            biases[s, SLOW, m] -= moves[SLOW, m]
            biases[s, FAST, m] -= moves[FAST, m]
            biases[s, ADAGRAD, m] -= moves[ADAGRAD, m] / (math.sqrt(biases[s, SQUARES, m]) + 1e-6)
        for t in range(cells.shape[1]):
            cell = np.int64(cells[s, t])
            changed[s, cell] = True
            for m in range(models):
                tables[s, cell, SLOW, m] -= moves[SLOW, m]
                tables[s, cell, FAST, m] -= moves[FAST, m]
                tables[s, cell, SQUARES, m] += moves[SQUARES, m]
                root = math.sqrt(tables[s, cell, SQUARES, m])  # a float32, as what it is of
                tables[s, cell, ADAGRAD, m] -= moves[ADAGRAD, m] / (root + 1e-6)
