"""Families and ensembles made for tests, on the general and on the compiled path."""

from __future__ import annotations

import numpy as np

from macro_engine.algorithm.compiled_family import CompiledFamily, CompiledSettings
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.algorithm.family import Family
from macro_engine.core.members import grid
from macro_engine.core.totals import Totals
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.subroutines import resolve
from macro_engine.subroutines.output import converted

ALL_STEPS = "all"


def members_of(distance, history, thresholds=None):
    """A grid; None stands for a history of all steps, a tuple for several."""
    histories = history if isinstance(history, tuple) else (history,)
    return grid(
        [ALL_STEPS if h is None else h for h in histories],
        DISTANCES[distance].thresholds if thresholds is None else thresholds,
    )


def shape_of(columns, classes, members, **options):
    return Shape(classes, len(columns.numbers), members[0].steps, **options)


def general_family(
    members, distance, subroutine, columns, classes, output="last", power=0.0, most=None,
    learning_rate=None, **options,
):  # fmt: skip
    names = tuple(map(str, range(classes)))
    create = converted(resolve(subroutine, learning_rate=learning_rate), output, 0.05)
    discrepancy = DISTANCES[distance].create(shape_of(columns, classes, members, **options))
    return Family(members, discrepancy, lambda: create(names), columns, classes, power, most)


def compiled_family(
    members, distance, subroutine, columns, classes, power=0.0, most=None, learning_rate=None,
    **options,
):  # fmt: skip
    shape = shape_of(columns, classes, members, **options)
    settings = CompiledSettings(members, distance, shape, subroutine, power, most, learning_rate)
    return CompiledFamily(settings, columns)


def general(members, distance, subroutine, columns, classes, output="last", **ensemble):
    family = general_family(members, distance, subroutine, columns, classes, output)
    return Ensemble(family, columns, **ensemble)


def compiled(members, distance, subroutine, columns, classes, **ensemble):
    family = compiled_family(members, distance, subroutine, columns, classes)
    return Ensemble(family, columns, compiled=True, **ensemble)


def run(ensemble, block):
    """The steps of a block, with totals that begin with it."""
    return ensemble.run(block, Totals.nothing(ensemble.names))


def assert_same_steps(one, other, lists=True):
    """Equal to the last bit in every column; without `lists`, whatever their blocks were."""
    assert one.names == other.names
    assert one.present == other.present
    for name in set(one.present) - (set() if lists else {"listed", "nearest", "distances"}):
        a, b = getattr(one, name), getattr(other, name)
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), name


def predictions_of(steps, series):
    return steps.predictions[steps.names.index(series)]


def probabilities_of(steps, series):
    return steps.probabilities[steps.names.index(series)]


def shown_by(steps, strategy, thing):
    """What a strategy shows, steps by parts."""
    return steps.shown[steps.names.lines_of(thing)[strategy]].T
