"""The arrays of the kernels, grouped by owner.

`used` says how much of them is in use; it is an array because the loops change it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from macro_engine.core.rows import Bools, Floats, Ints


class KernelSettings(NamedTuple):
    """The constants of a run; the last threshold is the marginal baseline's."""

    thresholds: Floats
    history_of: Ints  # for each threshold, which of the histories it has
    histories: Ints  # -1 for all steps
    power: float  # thresholds fall as (t + 1)^-power
    most: int  # subroutines of a member; 0 for any number
    divisor: float  # of each l2 distance, for features
    lacking: float  # what a class counts that one side lacks, for features
    skip: int  # 1 if such a class is left out of the mean
    rate: float  # the learning rate after n rows is rate / (n + 1)^rate_power
    rate_power: float


class Stretch(NamedTuple):
    """The rows of a block, with those of the last closed steps in front of them."""

    starts: Ints
    numbers: Floats
    ones: Ints  # the one-hot columns that are 1
    labels: Ints
    past_steps: int
    past_rows: int
    step_number: int  # of the first step after the past ones
    label_counts: Ints  # of all rows of the run so far, for a history of all steps


class References(NamedTuple):
    """The reference histories of subroutines, described for the distance in use.

    The first axis is the histories: members with the same one share their references.
    """

    used: Ints
    empty: Bools
    largest: Ints  # the last finite member that has the reference, with the largest threshold
    shares: Floats  # for labels: classes by references
    starts: Ints  # for features: where the rows of a class start, references + 1 by classes
    columns: Floats  # for features: classes by columns by rows of all references
    lengths: Ints  # for frames: how many rows there are
    frames: Floats  # for frames: positions by columns by references


class Subroutines(NamedTuple):
    """Members by subroutines: reference, place in the bank, and steps that each has learned."""

    used: Ints
    reference: Ints
    place: Ints
    updates: Ints


class LearningArrays(NamedTuple):
    """The subroutines that learn each step: members and subroutines from 0.

    Steps are those that are completed and those that open, in their order.
    """

    done: Ints  # how many are completed by now
    starts: Ints  # where those of each step begin
    members: NDArray[np.int32]
    numbers: NDArray[np.int32]


class Bank(NamedTuple):
    """All copies of the learner; a place is an index in these arrays."""

    used: Ints
    weights: Floats  # or means; those of all models (or classes) for a column stand together
    intercepts: Floats  # by models
    counts: Ints  # rows learned, by classes for nearest-mean
    rates: Floats  # the first learning rates, for logistic


class ResultArrays(NamedTuple):
    """The arrays of a `FamilyResult`; probabilities have no lines if not requested."""

    predictions: Ints
    probabilities: Floats
    active: Ints
    born: Bools
    distance: Floats
    close: Ints
    subroutines: Ints
    nearest: NDArray[np.int32]
    nearest_distances: NDArray[np.float32]


class PresentHistory(NamedTuple):
    """The history before the current step, and the decisions for the step."""

    counts: Ints  # rows of each class
    shares: Floats
    starts: Ints  # where each class starts in `rows`
    rows: Floats
    frames: Floats
    distances: Floats  # of each history to each of its references
    reach: Floats  # beyond which a reference is close to none of its members
    counted: Ints  # 0 where the distance to a reference is a lower bound
    squares: Floats
    least: Floats
    smallest: Floats
    limits: Floats  # the thresholds in force
    chosen: Ints
    born: Bools
    forced: Bools
    nearest: Ints
    nearest_distances: Floats
    predicting: Ints  # places in the bank
    learning: Ints
    totals: Floats  # by classes
    margins: Floats  # learners by models
