"""Prediction and learning of the experts on tiles."""

from __future__ import annotations

import math

import numpy as np

from macro_engine.blend.kernels.arithmetic import sigmoid
from macro_engine.blend.kernels.compiling import part
from macro_engine.blend.tilings import ADAGRAD, CELLS, FAST, SLOW, SQUARES, TILINGS
from macro_engine.core.prefetching import prefetch

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SPREAD = np.uint64(1000003)
_LAST = np.uint64(CELLS - 1)
_NEAR = 16  # numbers of a table that come together
_20, _29, _32 = np.uint64(20), np.uint64(29), np.uint64(32)


@part
def find_cells(  # type: ignore[no-untyped-def]
    units, codes, depths, columns, bins, offsets, addends, tables, values, cells
):
    """The cells of a row, sets by tilings; a category has bins of 1, so that it is its code.

    What they hold is asked for at once: many classes fill the caches.
    """
    lanes = tables.shape[2]
    for f in range(len(units)):
        values[f] = units[f]
    for f in range(len(values) - len(units)):
        values[len(units) + f] = codes[f]
    for s in range(depths.shape[0]):
        for t in range(depths.shape[1]):
            h = np.uint64(0)
            for a in range(depths[s, t]):
                tile = np.int64(values[columns[s, t, a]] * bins[s, t, a] + offsets[s, t, a])
                h = h * _SPREAD + (np.uint64(tile) + addends[s, t, a])
                h = (h ^ (h >> _29)) * _FACTOR
                h = (h ^ (h >> _32)) * _FACTOR
            cell = np.int64((h >> _20) & _LAST)
            cells[s, t] = np.uint16(cell)
            if lanes > 4:
                for k in range(0, lanes, _NEAR):
                    prefetch(tables[s, cell], k)


@part
def tiles_say(cells, rates, biases, tables, margins, said):  # type: ignore[no-untyped-def]
    """What each model of each learner says: its bias and its cells, in order.

    The coarse tiles have no slow learner.
    """
    models = biases.shape[1] // 4
    for s in range(biases.shape[0]):
        first, last = (models if rates[s, SLOW] == 0.0 else 0), SQUARES * models
        if models == 1:
            slow, fast, adagrad = biases[s, SLOW], biases[s, FAST], biases[s, ADAGRAD]
            for t in range(cells.shape[1]):
                cell = np.int64(cells[s, t])
                slow += tables[s, cell, SLOW]
                fast += tables[s, cell, FAST]
                adagrad += tables[s, cell, ADAGRAD]
            margins[SLOW], margins[FAST], margins[ADAGRAD] = slow, fast, adagrad
        else:
            for k in range(4 * models):
                margins[k] = biases[s, k]
            for t in range(0, TILINGS, 4):  # four cells at a time, summed one after the other
                one, two = tables[s, cells[s, t]], tables[s, cells[s, t + 1]]
                three, four = tables[s, cells[s, t + 2]], tables[s, cells[s, t + 3]]
                for k in range(4 * models):  # all of them: side by side they cost less
                    margins[k] = margins[k] + one[k] + two[k] + three[k] + four[k]
        for k in range(first):
            said[s, k] = 0.5
        for k in range(first, last):
            said[s, k] = sigmoid(margins[k])


@part
def tiles_learn(  # type: ignore[no-untyped-def]
    cells, label, said, rates, biases, tables, changed, moves
):
    models = biases.shape[1] // 4
    steady, squares = ADAGRAD * models, SQUARES * models
    for s in range(biases.shape[0]):
        for m in range(models):
            target = 1.0 if label == (1 if models == 1 else m) else 0.0
            gradient = said[s, steady + m] - target
            moves[m] = (said[s, m] - target) * rates[s, SLOW]
            moves[models + m] = (said[s, models + m] - target) * rates[s, FAST]
            moves[steady + m] = gradient * rates[s, ADAGRAD]
            moves[squares + m] = gradient * gradient
            biases[s, squares + m] += moves[squares + m]
            root = math.sqrt(biases[s, squares + m])
            biases[s, steady + m] -= moves[steady + m] / (root + 1e-6)
        for k in range(steady):
            biases[s, k] -= moves[k]
        if models == 1:
            slow, fast, adagrad, square = moves[0], moves[1], moves[2], moves[3]
            for t in range(cells.shape[1]):
                cell = np.int64(cells[s, t])
                changed[s, cell] = True
                tables[s, cell, SLOW] -= slow
                tables[s, cell, FAST] -= fast
                total = np.float32(tables[s, cell, SQUARES] + square)
                tables[s, cell, SQUARES] = total
                # the root of a float32 is one too
                tables[s, cell, ADAGRAD] -= adagrad / (math.sqrt(total) + 1e-6)
        else:
            for t in range(cells.shape[1]):
                cell = np.int64(cells[s, t])
                changed[s, cell] = True
                for k in range(steady):
                    tables[s, cell, k] -= moves[k]
                for m in range(models):
                    total = np.float32(tables[s, cell, squares + m] + moves[squares + m])
                    tables[s, cell, squares + m] = total
                    tables[s, cell, steady + m] -= moves[steady + m] / (math.sqrt(total) + 1e-6)
