"""Rejected rows by reason, each with an example and a cure."""

from __future__ import annotations

from dataclasses import dataclass

from macro_engine.stream.table import IS_MISSING, NO_CLASS, NOT_FINITE, Rejection, Rejections

_CURES = (
    (NO_CLASS, "--classes names all classes; or fix the labels at the source"),
    (IS_MISSING, "fill the column, or leave it out; numbers: --missing mean"),
    (NOT_FINITE, "fix the value at the source, or leave the column out"),
    ("is not a number", "--categorical takes the column as it is; --decimal , for commas"),
    ("is not a time", "--time-format says how times are written"),
    ("is a time outside", "fix the time at the source"),
    ("is not UTF-8", "--encoding names the encoding of the file"),
    ("field", "quote fields with the delimiter, or name it with --delimiter"),
    ("opens a quote", "close the quote at the source"),
    ("is half a line", "the file ended within this line: let its writer end lines"),
    ("is longer than", "check that the file has line ends"),
    ("is not JSON", "write one JSON object a line"),
    ("is not a JSON object", "write one JSON object a line"),
    ("is not below", "set bounds in the description of the stream, or --scale unit"),
    ("ahead", "set the writer's clock right; --ahead allows for more"),
    ("is the key of", "give each row a key of its own; --key names another column"),
)
_ANY = "fix the rows at the source; macro-tui inspect shows them as read"
_MOST_EXAMPLES = 5


@dataclass(frozen=True)
class RejectedReason:
    """A reason why rows were turned away.

    Attributes
    ----------
    examples
        The first rows of them, as far as they are known.
    cure
        What to do about it.
    """

    column: str | None
    kind: str
    count: int
    examples: tuple[Rejection, ...]

    @property
    def cure(self) -> str:
        return next((cure for words, cure in _CURES if words in self.kind), _ANY)


def reasons_of(rejections: Rejections) -> list[RejectedReason]:
    """The reasons, the most frequent first; from any thread."""
    counts = dict.copy(rejections.reasons)
    found: dict[tuple[str | None, str], list[Rejection]] = {key: [] for key in counts}
    for rejection in list(rejections.first):
        examples = found.get((rejection.column, rejection.problem.kind), [])
        if len(examples) < _MOST_EXAMPLES:
            examples.append(rejection)
    for key, rejection in dict.copy(rejections.examples).items():
        if not found.get(key, [rejection]):
            found[key].append(rejection)
    order = sorted(counts, key=lambda key: (-counts[key], key[0] or "", key[1]))
    return [RejectedReason(*key, counts[key], tuple(found[key])) for key in order]
