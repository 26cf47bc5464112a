"""The label: a column of class names, or a rule over a column."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.stream.table import MISSING, NOTHING, Column, Problems

_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
_RULE = re.compile(r"\s*(?P<column>.+?)\s*(?P<operator>>=|<=|==|!=|>|<)\s*(?P<value>.+?)\s*")
RULE_CLASSES = ("0", "1")
_NOT = "not "


@dataclass(frozen=True)
class LabelColumn:
    """The class names themselves."""

    column: str
    classes = None

    def read(self, column: Column, classes: Sequence[str] | None) -> tuple[list[str], Problems]:
        labels = column.texts()
        missing = MISSING.difference(classes or ())
        return labels, {i: NOTHING for i, label in enumerate(labels) if label in missing}


@dataclass(frozen=True)
class LabelRule:
    """`delay > 15`: class 1 where it holds, class 0 where it does not."""

    column: str
    operator: str
    value: float | str
    classes = RULE_CLASSES

    def read(self, column: Column, _classes: Sequence[str] | None) -> tuple[list[str], Problems]:
        compare = _OPERATORS[self.operator]
        if isinstance(self.value, str):
            texts = column.texts()
            problems = {i: NOTHING for i, t in enumerate(texts) if t in MISSING}
            return [RULE_CLASSES[compare(text, self.value)] for text in texts], problems
        numbers, problems = column.numbers()
        holds = compare(numbers, self.value)
        return np.where(holds, *reversed(RULE_CLASSES)).tolist(), problems


Label = LabelColumn | LabelRule


def parse_label(text: str, columns: Sequence[str]) -> Label:
    """A column's name, or a rule such as `delay > 15` or `status == 'late'`.

    >>> parse_label("delay > 15", ["delay"])
    LabelRule(column='delay', operator='>', value=15.0)
    """
    if text in columns:
        return LabelColumn(text)
    match = _RULE.fullmatch(text)
    if match is None:
        if re.search(r"[<>=!]", text):
            raise _bad_rule(text, "it is COLUMN, then > >= < <= == or !=, then a value")
        return LabelColumn(text)
    column, value = match["column"].strip("\"'"), match["value"]
    quoted = re.fullmatch(r"'(.*)'|\"(.*)\"", value)
    if quoted:
        if match["operator"] not in ("==", "!="):
            raise _bad_rule(text, "a text is compared with == or != only")
        return LabelRule(column, match["operator"], quoted[1] or quoted[2] or "")
    try:
        number = float(value)
    except ValueError:
        raise _bad_rule(text, f"'{visible(value)}' is not a number; put text in quotes") from None
    if not np.isfinite(number):
        raise _bad_rule(text, "the number must be finite")
    return LabelRule(column, match["operator"], number)


def class_titles(classes: Sequence[str], label: str) -> tuple[str, ...]:
    """What classes are called: those of a rule by the rule.

    >>> class_titles(("0", "1"), "delay > 15"), class_titles(("no", "yes"), "late")
    (('not delay > 15', 'delay > 15'), ('no', 'yes'))
    """
    rule = " ".join(label.split())
    if tuple(classes) == RULE_CLASSES and _RULE.fullmatch(label):
        return f"{_NOT}{rule}", rule
    return tuple(classes)


def is_rule(titles: Sequence[str]) -> bool:
    """Whether classes are called by a rule: the second is what it asks for."""
    return len(titles) == 2 and titles[0] == f"{_NOT}{titles[1]}"


def _bad_rule(text: str, why: str) -> UsageError:
    return UsageError(f"the label rule '{visible(text)}' does not parse: {why}")


def class_order(name: str) -> tuple[int, float, str]:
    """Sorts class names: numbers by value, then text by code point."""
    try:
        value = float(name)
    except ValueError:
        value = math.nan
    return (1, 0.0, name) if math.isnan(value) else (0, value, name)
