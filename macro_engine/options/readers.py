"""Parses the values of options, from the command line or a file.

A reader returns the plain value, or raises ValueError with a sentence that says what is wrong.
"""

from __future__ import annotations

import codecs
import csv
import math
from collections.abc import Callable, Iterable
from typing import Any

from macro_engine.core import plugins
from macro_engine.core.did_you_mean import did_you_mean
from macro_engine.core.escape import visible
from macro_engine.core.members import ALL, sorted_histories
from macro_engine.core.metrics import METRICS
from macro_engine.discrepancy import DISTANCES, EMPTY_CLASS
from macro_engine.strategies import STRATEGIES
from macro_engine.stream.clock_columns import OFF, ON
from macro_engine.stream.formats.dialect import DELIMITERS
from macro_engine.stream.spec import MEAN, MOST_CLASSES, NONE, REJECT, RUNNING, UNIT, StepLength
from macro_engine.subroutines.learning_rate import MOST, SQRT
from macro_engine.subroutines.output import OUTPUTS

MOST_THRESHOLDS = 1_000
PAPER_THRESHOLDS = "paper"  # those of the paper for the distance
QUANTILES = "quantiles"  # of the distances in the first rows
ANY_NUMBER = "none"


def text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"a text is expected, not {visible(value)!r}")
    return value


def time(value: Any) -> str | None:
    """The name of a column; an empty one says that there is none, so that none is looked for."""
    return None if value == "" else text(value)


def _list(value: Any) -> Any:
    """What was typed, cut at its commas; a name with a comma in it is put in double quotes."""
    if not isinstance(value, str):
        return value
    return [item.strip() for row in csv.reader([value], skipinitialspace=True) for item in row]


def names(value: Any) -> list[str]:
    items = _list(value)
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError(f"names of columns are expected, not {visible(value)!r}")
    return [item for item in items if item]


def classes(value: Any) -> list[str]:
    items = _list(value)
    if not isinstance(items, list) or not all(isinstance(i, str | int) for i in items):
        raise ValueError(f"names of classes are expected, not {visible(value)!r}")
    names = [str(item) for item in items]
    if len(names) < 2:
        raise ValueError("at least two classes are needed, in their order, as in --classes 0,1")
    if len(set(names)) < len(names):
        raise ValueError("the same class is named twice")
    if len(names) > MOST_CLASSES:
        raise ValueError(f"{len(names):,} classes are too many; at most {MOST_CLASSES}")
    return names


def class_name(value: Any) -> str:
    return text(str(value) if type(value) is int else value)


def every(value: Any) -> str:
    text = str(value)
    StepLength.parse(text)
    return text.strip()


def length(value: Any) -> str:
    """A length of time."""
    text = str(value).strip()
    try:
        length = StepLength.parse(text).microseconds
    except ValueError:
        length = None
    if length is None:
        raise ValueError(
            f"'{visible(value)}' is not a length of time above 0; write 1d (ms s m h d)"
        )
    return text


def label_timeout(value: Any) -> str:
    """A length of time, a number of rows, or none."""
    return "none" if value == "none" else every(value)


def _one_of(*choices: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            hint = did_you_mean(str(value), choices, otherwise=";")
            raise ValueError(f"'{visible(value)}' is unknown{hint} one of: {', '.join(choices)}")
        return str(value)

    return read


def _registered(names: Iterable[str], value: Any) -> str:
    """A name out of a registry, to which plugins may add."""
    failures = plugins.load()
    try:
        return _one_of(*names)(value)
    except ValueError as error:
        raise ValueError("; ".join([str(error), *failures])) from None


def delimiter(value: Any) -> str:
    value = {"tab": "\t", "\\t": "\t"}.get(str(value), value)
    if value not in DELIMITERS:
        raise ValueError(f"'{visible(value)}' is not a delimiter; one of: , ; | tab")
    return str(value)


def encoding(value: Any) -> str:
    try:
        known = codecs.lookup(text(value))
        "".encode(known.name)
    except (LookupError, ValueError):
        raise ValueError(
            f"'{visible(value)}' is not an encoding; write utf-8, latin-1, cp1252, utf-16"
        ) from None
    return known.name


def _number(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or isinstance(value, bool):
        raise ValueError(f"'{visible(value)}' is not a number")
    return number


def bounds(value: Any) -> dict[str, list[float]]:
    if not isinstance(value, dict):
        raise ValueError("a table of COLUMN = [smallest, largest] is expected")
    bounds = {}
    for column, pair in value.items():
        if not isinstance(pair, list) or len(pair) != 2:
            raise ValueError(f"'{visible(column)}' needs [smallest, largest]")
        low, high = map(_number, pair)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise ValueError(f"'{visible(column)}': {low} to {high} is not a range of numbers")
        bounds[column] = [low, high]
    return bounds


def _whole(what: str, least: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        text = str(value)
        plain = not isinstance(value, bool) and text.isascii() and text.isdigit() and len(text) < 10
        if not plain or int(text) < least:
            raise ValueError(
                f"'{visible(value)}' is not a {what}; write a whole number from {least}"
            )
        return int(text)

    return read


def history(value: Any) -> int | str | list[int | str]:
    """One number of steps, or a list of them, rising; `all` comes last."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        items = [items]
    if not items:
        raise ValueError("numbers of steps are expected, as in 6,36")
    read = _whole("number of steps or 'all'", 0)
    trimmed = [item.strip() if isinstance(item, str) else item for item in items]
    histories = sorted_histories(ALL if item == ALL else read(item) for item in trimmed)
    return histories[0] if len(histories) == 1 else histories


def thresholds(value: Any) -> list[float] | str:
    """Numbers, rising, or a word for where they come from."""
    if value in (PAPER_THRESHOLDS, QUANTILES):
        return str(value)
    items = value.split(",") if isinstance(value, str) else value
    if isinstance(items, int | float):
        items = [items]
    if not isinstance(items, list) or not items:
        raise ValueError("numbers are expected, as in .1,.2,.5, or paper, or quantiles")
    numbers = [_number(item) for item in items]
    if min(numbers) < 0:
        raise ValueError(f"a threshold cannot be negative, as {min(numbers)} is")
    if len(set(numbers)) > MOST_THRESHOLDS:
        raise ValueError(f"{len(set(numbers)):,} are too many; at most {MOST_THRESHOLDS:,}")
    return sorted(set(numbers))


def number_of_subroutines(value: Any) -> int | str:
    return (
        ANY_NUMBER if value == ANY_NUMBER else _whole("number of subroutines or 'none'", 1)(value)
    )


def share(value: Any) -> float:
    number = _number(value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{number:g} does not lie between 0 and 1")
    return number


def power(value: Any) -> float:
    number = _number(value)
    if not 0.0 <= number < math.inf:
        raise ValueError(f"{number:g} is not a power; write 0 or more, as in .25")
    return number


def learning_rate(value: Any) -> float | str:
    """A word for a step that falls, or a step that stays the same."""
    if value == SQRT:
        return SQRT
    cure = f"write {SQRT}, or a number above 0 and at most {MOST:g}"
    try:
        number = _number(value)
    except ValueError as error:
        raise ValueError(f"{error}; {cure}") from None
    if not 0.0 < number <= MOST:
        raise ValueError(f"{number:g} is not a learning rate; {cure}")
    return number


def strategy(value: Any) -> str:
    return _registered(STRATEGIES, value)


def distance(value: Any) -> str:
    return _registered(DISTANCES, value)


def strategies(value: Any) -> list[str]:
    """Names of strategies, in the order of the registry."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not items:
        raise ValueError("names of strategies are expected, as in ftl,ewa")
    named = {strategy(item.strip() if isinstance(item, str) else item) for item in items}
    return [name for name in STRATEGIES if name in named]


def true_or_false(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"'{visible(value)}' is neither true nor false")
    return value


scale = _one_of(RUNNING, UNIT, NONE)
missing = _one_of(MEAN, REJECT)
late = _one_of("join", "reject")
clock = _one_of(ON, OFF)
decimal = _one_of(".", ",")
output = _one_of(*OUTPUTS)
metric = _one_of(*METRICS)
empty_class = _one_of(*EMPTY_CLASS)
number_of_rows = _whole("number of rows", 1)
seed = _whole("seed", 0)
