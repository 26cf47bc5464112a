"""What the experts on tiles say and learn."""

from __future__ import annotations

import math

import numpy as np

from macro_engine.blend.kernels.arithmetic import sigmoid
from macro_engine.blend.kernels.compiling import inlined
from macro_engine.blend.tilings import ADAGRAD, CELLS, FAST, SLOW, SQUARES

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SPREAD = np.uint64(1000003)
_LAST = np.uint64(CELLS - 1)
_20, _29, _32 = np.uint64(20), np.uint64(29), np.uint64(32)


@inlined
def find_cells(i, r, given, rules, cells):  # type: ignore[no-untyped-def]
    """The cells of row i, kept as row r."""
    numbers = given.units.shape[1]
    for s in range(rules.depths.shape[0]):
        for t in range(rules.depths.shape[1]):
            h = np.uint64(0)
            for a in range(rules.depths[s, t]):
                f = rules.columns[s, t, a]
                if f < numbers:
                    tile = np.int64(
                        given.units[i, f] * rules.bins[s, t, a] + rules.offsets[s, t, a]
                    )
                else:
                    tile = given.codes[i, f - numbers]
                h = h * _SPREAD + np.uint64(tile) + rules.addends[s, t, a]
                h = (h ^ (h >> _29)) * _FACTOR
                h = (h ^ (h >> _32)) * _FACTOR
            cells[r, s, t] = np.uint16((h >> _20) & _LAST)


@inlined
def tiles_say(r, cells, parts, margins, said):  # type: ignore[no-untyped-def]
    """What each model of each learner says: its bias and its cells, in order."""
    models = parts.biases.shape[2]
    for s in range(parts.biases.shape[0]):
        if models == 1:
            slow, fast = parts.biases[s, SLOW, 0], parts.biases[s, FAST, 0]
            adagrad = parts.biases[s, ADAGRAD, 0]
            for t in range(cells.shape[2]):
                cell = np.int64(cells[r, s, t])
                slow += parts.tables[s, cell, SLOW, 0]
                fast += parts.tables[s, cell, FAST, 0]
                adagrad += parts.tables[s, cell, ADAGRAD, 0]
            said[s, SLOW, 0] = sigmoid(slow)
            said[s, FAST, 0] = sigmoid(fast)
            said[s, ADAGRAD, 0] = sigmoid(adagrad)
        else:
            for v in range(SQUARES):
                for m in range(models):
                    margins[s, v, m] = parts.biases[s, v, m]
            for t in range(cells.shape[2]):
                cell = np.int64(cells[r, s, t])
                for v in range(SQUARES):
                    for m in range(models):
                        margins[s, v, m] += parts.tables[s, cell, v, m]
            for v in range(SQUARES):
                for m in range(models):
                    said[s, v, m] = sigmoid(margins[s, v, m])


@inlined
def tiles_learn(r, label, cells, rules, parts, said, moves):  # type: ignore[no-untyped-def]
    models = parts.biases.shape[2]
    for s in range(parts.biases.shape[0]):
        for m in range(models):
            target = 1.0 if label == (1 if models == 1 else m) else 0.0
            gradient = said[s, ADAGRAD, m] - target
            moves[SLOW, m] = (said[s, SLOW, m] - target) * rules.rates[s, SLOW]
            moves[FAST, m] = (said[s, FAST, m] - target) * rules.rates[s, FAST]
            moves[ADAGRAD, m] = gradient * rules.rates[s, ADAGRAD]
            moves[SQUARES, m] = gradient * gradient
            parts.biases[s, SQUARES, m] += moves[SQUARES, m]
            parts.biases[s, SLOW, m] -= moves[SLOW, m]
            parts.biases[s, FAST, m] -= moves[FAST, m]
            root = math.sqrt(parts.biases[s, SQUARES, m])
            parts.biases[s, ADAGRAD, m] -= moves[ADAGRAD, m] / (root + 1e-6)
        for t in range(cells.shape[2]):
            cell = np.int64(cells[r, s, t])
            parts.changed[s, cell] = True
            for m in range(models):
                parts.tables[s, cell, SLOW, m] -= moves[SLOW, m]
                parts.tables[s, cell, FAST, m] -= moves[FAST, m]
                parts.tables[s, cell, SQUARES, m] += moves[SQUARES, m]
                # of a float32 the root is one too
                root = math.sqrt(parts.tables[s, cell, SQUARES, m])
                parts.tables[s, cell, ADAGRAD, m] -= moves[ADAGRAD, m] / (root + 1e-6)
