"""Candidates for the label: by name, else the last column."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

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
_PROPOSED = 100  # columns from the last one on, among which one may choose
_BY_NAME, _BY_EVENT, _BY_FLAG = range(3)
_MOST_VALUES = (_SOME, _FEW, 2)


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
        Label rules over columns of numbers, the likeliest last.
    too_many
        Columns that are labels by their names and have too many different values.
    """

    column: str | None
    why: str
    others: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    too_many: list[str] = field(default_factory=list)


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
    ranks = {name: rank for name in columns if (rank := _rank(name, columns[name]))}
    named = sorted(ranks, key=ranks.__getitem__)
    last = list(columns)[-1] if columns else ""
    if named:
        best = [name for name in named if ranks[name] == ranks[named[0]]]
        chosen = best[0] if len(best) == 1 else last if last in best else None
        others = [n for n in named if n != chosen and (n in best or ranks[n][0] < _BY_FLAG)]
        return LabelGuess(chosen, "by its name" if chosen else "", others)
    if columns:
        values = _values(columns[last])
        if 2 <= len(values) <= _FEW and not _has_fractions(values):
            why = f"the last column, with {len(values)} values; no name says which it is"
            return LabelGuess(last, why)
    proposed = list(columns)[-_PROPOSED:]
    few = [name for name in proposed if 2 <= len(_values(columns[name])) <= _FEW]
    too_many = [
        name for name in columns if _by_name(name) is not None and columns[name].has_values()
    ]
    by_likelihood = sorted(dict.fromkeys([*proposed, *too_many]), key=too_many.__contains__)
    rules = [rule for name in by_likelihood if (rule := _rule(name, columns[name]))]
    return LabelGuess(None, "", few[::-1], rules, too_many)


def _rank(name: str, column: Column) -> tuple[int, int] | None:
    """Returns the rank of a column as the label, the smallest first; None if it cannot be."""
    rank = _by_name(name)
    if rank is None:
        return None
    least = 0 if rank[0] == _BY_NAME else 1
    return rank if least <= len(_values(column)) <= _MOST_VALUES[rank[0]] else None


def _by_name(name: str) -> tuple[int, int] | None:
    """Returns the rank of a name as the label's, the smallest first; None if it cannot be."""
    words = words_of(name)
    if name.lower() in _NAMES:
        return _BY_NAME, _NAMES.index(name.lower())
    if words and (words[-1] in _LAST_WORDS or any(map(_EVENT.fullmatch, words))):
        return _BY_EVENT, 0
    return (_BY_FLAG, 0) if words[1:] and words[0] in _FLAGS else None


def _rule(name: str, column: Column) -> str | None:
    """A rule that makes two classes of a column of many numbers."""
    if len(_values(column)) <= _FEW:
        return None
    numbers, problems = column.numbers()
    known = np.delete(numbers, list(problems))
    if len(known) < len(numbers) / 2:
        return None
    middle = f"{np.median(known):.4g}"
    return f"{name} > {middle}"


def _values(column: Column) -> set[str]:
    return set(column.texts()) - MISSING


def _has_fractions(values: Iterable[str]) -> bool:
    return any(re.fullmatch(r"[+-]?\d*[.,]\d*[1-9]\d*", value) for value in values)
