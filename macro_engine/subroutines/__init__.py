"""Learners that MACRO can run, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from macro_engine.core import plugins
from macro_engine.core.did_you_mean import did_you_mean
from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.subroutines.base import Create, Subroutine
from macro_engine.subroutines.learning_rate import SQRT, LearningRate

__all__ = ["LOGISTIC", "NAMED", "OWN", "STORABLE", "Create", "Subroutine", "register", "resolve"]

LOGISTIC = "logistic"


def _logistic(classes: tuple[str, ...], learning_rate: LearningRate = SQRT) -> Subroutine:
    from macro_engine.subroutines.logistic import Logistic

    return Logistic(len(classes), learning_rate)


def _nearest_mean(classes: tuple[str, ...]) -> Subroutine:
    from macro_engine.subroutines.nearest_mean import NearestMean

    return NearestMean(len(classes))


def _erm(classes: tuple[str, ...]) -> Subroutine:
    from macro_engine.subroutines.erm import Erm

    return Erm(len(classes))


def _vw() -> Create:
    from macro_engine.subroutines.vw import vw_factory

    return vw_factory()


# A learner is imported when one is started: River alone takes a second.
NAMED: dict[str, Callable[[], Create]] = {
    LOGISTIC: lambda: _logistic,
    "nearest-mean": lambda: _nearest_mean,
    "erm": lambda: _erm,
    "vw": _vw,
}

# Those whose state is arrays and names, so that a run can go on from a file. A River model would
# have to be unpickled, and Vowpal Wabbit's format is read by its own code: neither may come from a
# file that somebody else may have written.
STORABLE = [LOGISTIC, "nearest-mean", "erm"]
OWN = tuple(NAMED)


def register(name: str, create: Create, storable: bool = False) -> None:
    """Registers a learner under a name.

    Parameters
    ----------
    create
        Starts a learner, given the names of the classes.
    storable
        Whether its `state` and `restore` are there, so that a run can be resumed.
    """
    if not name.replace("-", "_").isidentifier() or name in NAMED:
        raise ValueError(f"'{name}' is taken or is not a valid name for a learner")
    NAMED[name] = lambda: partial(_started, name, create)
    if storable:
        STORABLE.append(name)


def _started(name: str, create: Create, classes: tuple[str, ...]) -> Subroutine:
    """A learner that somebody else registered."""
    learner = create(classes)
    if not isinstance(learner, Subroutine):
        found = type(learner).__name__
        raise MacroError(f"the learner '{name}' starts a {found}, where a Subroutine is expected")
    return learner


def resolve(
    name: str, seed: int | None = None, learning_rate: LearningRate | None = None
) -> Create:
    """How to start a subroutine, given the classes; `learning_rate` is that of `logistic`.

    `river:module.Class(...)` is read, never evaluated. `python:module:function` runs the user's
    code: a name that comes from a file must be refused before it gets here.
    """
    plugins.load()
    if name == LOGISTIC and learning_rate is not None:
        return partial(_logistic, learning_rate=learning_rate)
    if name in NAMED:
        return NAMED[name]()
    if name.startswith("river:"):
        from macro_engine.subroutines.river_text import river_factory

        return river_factory(name.removeprefix("river:"), seed)
    if name.startswith("python:"):
        from macro_engine.subroutines.python_model import python_factory

        return python_factory(name.removeprefix("python:"))
    raise UsageError(
        plugins.with_failures(
            f"unknown subroutine '{visible(name)}'"
            + did_you_mean(name, NAMED, otherwise=".")
            + f" There are {', '.join(NAMED)}, river:MODULE.CLASS(...) and python:MODULE:FUNCTION"
        )
    )
