"""Columns of text, as in a CSV, parsed as times and numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from macro_engine.core.rows import Floats, Ints
from macro_engine.stream.table import (
    IS_MISSING,
    MISSING,
    NO_NUMBERS,
    NOT_FINITE,
    NOTHING,
    Problem,
    Problems,
)
from macro_engine.stream.times import TimeReader, time_reader

_FROM_COMMA = str.maketrans(",.", ".,")
CURRENCY = "$€£¥"
_AMOUNT = re.compile(
    rf"(?P<sign>[+-]?)[{CURRENCY}]?\s?"
    r"(?P<number>\d{1,3}(,\d{3})+(\.\d+)?|\d+(\.\d*)?)"
    rf"\s?[%{CURRENCY}]?"
)
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+")


@dataclass(frozen=True)
class TextColumn:
    """A column of text fields."""

    values: Sequence[str]
    decimal: str = "."

    def texts(self) -> list[str]:
        return [value.strip() for value in self.values]

    def has_values(self) -> bool:
        return has_values(self.values)

    def time_reader(self, time_format: str | None) -> TimeReader:
        return time_reader(self.values, time_format)

    def times(self, reader: TimeReader) -> tuple[Ints, Problems]:
        return reader.read(self.values)

    def numbers(self) -> tuple[Floats, Problems]:
        values = self.values
        if self.decimal == ",":  # a point alone would be a decimal one, which it must not be
            values = [value.translate(_FROM_COMMA) for value in values]
        try:
            numbers = np.fromiter(map(float, values), np.float64, len(values))
        except ValueError:
            pass
        else:
            if np.isfinite(numbers).all() and "_" not in "".join(values):
                return numbers, {}
        numbers = np.zeros(len(values))
        problems = {}
        for i, value in enumerate(values):
            if value in MISSING:
                problems[i] = NOTHING
                continue
            number = _number(value)
            if self.decimal == "," and "." in self.values[i] and "," not in self.values[i]:
                number = Problem("is not a number", value)
            if isinstance(number, Problem):
                problems[i] = Problem(number.kind, number.value and self.values[i])
            else:
                numbers[i] = number
        return numbers, problems


def has_values(texts: Iterable[str]) -> bool:
    """Whether any of the texts is one; it looks no further than needed."""
    return any(text.strip() not in MISSING for text in texts)


def _number(text: str) -> float | Problem:
    stripped = text.strip()
    if stripped in MISSING or stripped.lower() in NO_NUMBERS:
        return Problem(IS_MISSING)
    try:
        number = float(_digits(stripped))
    except ValueError:
        return Problem("is not a number", text)
    if "_" in stripped:  # Python's float takes 1_000, no other program does
        return Problem("is not a number", text)
    return number if math.isfinite(number) else Problem(NOT_FINITE, text)


def _digits(text: str) -> str:
    """The number in what people write: without currency, percent sign, thousands separators."""
    if text[-1:].isdigit() and text[:1] not in CURRENCY and "," not in text:
        return text
    is_negative = text.startswith("(") and text.endswith(")")  # as accountants write it
    amount = _AMOUNT.fullmatch(text[1:-1] if is_negative else text)
    if amount is None or (is_negative and amount["sign"]):
        return text
    return ("-" if is_negative else amount["sign"]) + amount["number"].replace(",", "")


def looks_like_data(name: str) -> bool:
    """Whether a field is a number or begins as a date does."""
    return isinstance(_number(name), float) or re.fullmatch(r"\d{4}-\d\d-\d\d.*", name) is not None
