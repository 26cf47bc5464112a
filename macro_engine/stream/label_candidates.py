"""Which column is likely the label: by its name, else because it stands last."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from macro_engine.stream.label import class_order
from macro_engine.stream.table import MISSING, Column

_NAMES = ("label", "target", "class", "outcome", "y")  # the likeliest first
_LAST_WORDS = frozenset(("label", "target", "outcome"))  # as in true_label
_EVENT = re.compile(
    r"""
    accepted|alarm|anomal(y|ous)|approved|attack|bankrupt|bought|breakdown|cancell?ed|churn(ed)?
    |clicked|converted|crash(ed)?|default(ed)?|defect(ive)?|delayed|diagnosis|exited|fail(ed|ure)?
    |fault(y)?|fraud(ulent)?|infected|intrusion|late|malicious|malignant|phishing|purchased
    |readmitted|rejected|repaid|returned|spam|subscribed|survived|toxic|won
    """,
    re.VERBOSE,
)
_FLAGS = frozenset(("is", "has", "was", "will", "did"))
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_FEW, _SOME = 20, 100  # different values of a label without a name for it, and with one
_BY_NAME, _BY_EVENT, _BY_FLAG = range(3)


@dataclass(frozen=True)
class LabelGuess:
    """The column that is taken for the label, and those that may be it as well.

    Attributes
    ----------
    column
        None where nothing tells which it is.
    others
        Columns whose names make them labels too; where there is no `column`, what to choose from.
    rules
        Label rules over columns of numbers.
    """

    column: str | None
    why: str
    others: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)


def words_of(name: str) -> list[str]:
    """The words of a column's name, in small letters.

    >>> words_of("isFraud"), words_of("LOAN_default")
    (['is', 'fraud'], ['loan', 'default'])
    """
    return [word.lower() for word in _WORD.findall(name)]


def guess_label(columns: Mapping[str, Column]) -> LabelGuess:
    """Judge columns by their names and first values.

    A name that says it is sought anywhere; only then may the last column be the label.
    """
    values = {name: _values(column) for name, column in columns.items()}
    ranks = {name: rank for name, found in values.items() if (rank := _rank(name, found))}
    named = sorted(ranks, key=ranks.__getitem__)
    rules = [rule for name in columns if (rule := _rule(name, columns[name], values[name]))]
    if named:
        best = [name for name in named if ranks[name] == ranks[named[0]]]
        last = list(columns)[-1]
        chosen = best[0] if len(best) == 1 else last if last in best else None
        others = [n for n in named if n != chosen and (n in best or ranks[n][0] < _BY_FLAG)]
        return LabelGuess(chosen, "by its name" if chosen else "", others, rules)
    few = [name for name, found in values.items() if 2 <= len(found) <= _FEW]
    if few and few[-1] == list(columns)[-1] and not _has_fractions(values[few[-1]]):
        why = f"the last column, with {len(values[few[-1]])} values; no name says which it is"
        return LabelGuess(few[-1], why)
    return LabelGuess(None, "", few[::-1], rules)


def _rank(name: str, values: Sequence[str]) -> tuple[int, int] | None:
    """How likely a name is that of a label, the smallest first; None for not at all."""
    words = words_of(name)
    if name.lower() in _NAMES and len(values) <= _SOME:
        return _BY_NAME, _NAMES.index(name.lower())
    if not words or not values or len(values) > _FEW:
        return None
    if words[-1] in _LAST_WORDS or any(map(_EVENT.fullmatch, words)):
        return _BY_EVENT, 0
    return (_BY_FLAG, 0) if words[0] in _FLAGS and words[1:] and len(values) <= 2 else None


def _rule(name: str, column: Column, values: Sequence[str]) -> str | None:
    """A rule that makes two classes of a column of many numbers."""
    if len(values) <= _FEW:
        return None
    numbers, problems = column.numbers()
    known = np.delete(numbers, list(problems))
    if len(known) < len(numbers) / 2:
        return None
    middle = f"{np.median(known):.4g}"
    return f"{name} > {middle}"


def _values(column: Column) -> list[str]:
    return sorted(set(column.texts()) - MISSING, key=class_order)


def _has_fractions(values: Sequence[str]) -> bool:
    return any(re.fullmatch(r"[+-]?\d*[.,]\d*[1-9]\d*", value) for value in values)
