"""The arrays of the kernels, grouped by owner."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.rows import Bools, Floats, Ints

ANSWER, CLOSE, LEARN = 1, 2, 4  # what is done with a step
FRESH = 8  # a step of one row that is learned was answered just before: scratch still holds it


class EvidenceArrays(NamedTuple):
    """The rows of a block; as `Evidence`, with the labels and where each step starts."""

    numbers: Floats
    units: Floats
    codes: Ints
    marginal: Floats
    unchanged: Floats
    members: Floats
    labels: Ints
    starts: Ints


class BlendConstants(NamedTuple):
    """The constants of a run; sets of tilings first, then tilings, then their columns."""

    depths: Ints
    columns: Ints
    bins: Floats
    offsets: Floats
    addends: NDArray[np.uint64]  # to the hash at each column
    rates: Floats  # sets by learners
    expert: Ints  # sets by learners; -1 where there is none
    prior: Floats  # of experts and filters
    member_prior: Floats
    noise: Floats  # of the two filters


class MemoryArrays(NamedTuple):
    """The learned values; as `Memory`, with whole tables and flags of changed cells."""

    linear_bias: Floats
    linear_numbers: Floats
    linear_codes: Floats  # with room for more codes
    lengths: Floats
    rows: Ints
    class_shares: Floats
    members: Floats
    shares: Floats
    filters: Floats
    covariances: Floats
    restarts: Ints
    pulls: Floats
    steps: Ints
    biases: Floats  # sets by lanes: models of the first learner, of the second, ...
    tables: NDArray[np.float32]  # sets by cells by lanes
    changed: Bools  # sets by cells


class AnswerArrays(NamedTuple):
    """Answers, rows first.

    Where a step is answered and learned at once, experts, filtered and pulls have room for its
    first row and another: of others nothing but logs and cells is looked at again.
    """

    probabilities: Floats
    experts: Floats
    filtered: Floats
    pulls: Floats
    cells: NDArray[np.uint16]
    logs: Floats  # rows by classes by experts; of two classes only the second


class Scratch(NamedTuple):
    """Scratch memory for one row, and for the sums of one step.

    What was said of the first row of a step stands apart: it still holds when that row is learned.
    """

    shares: Floats  # of the classes, which are the same for every row of a step
    linear: Floats  # the first row or another, by what each model said
    values: Floats  # a row's columns, as the tiles see them
    margins: Floats  # lanes
    said: Floats  # the first row or another, by sets by lanes, as probabilities
    moves: Floats  # lanes
    q: Floats
    x: Floats
    u: Floats
    mean: Floats
    losses: Floats  # of experts and filters
    member_losses: Floats
    pulls: Floats


class ShownArrays(NamedTuple):
    """The values that a block shows beside its answers, by steps."""

    weights: Floats
    pulls: Floats
