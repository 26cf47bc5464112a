"""The paper's online subroutine: Vowpal Wabbit with logistic loss and its default settings."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from macro_engine.core.errors import UsageError
from macro_engine.core.extras import how_to_install
from macro_engine.core.rows import SLOTS, Floats, Ints, Rows
from macro_engine.subroutines.base import Create, Subroutine
from macro_engine.subroutines.probabilities import of_classes, sigmoid

# A small ring: a workspace takes 0.8 MB instead of 9. A saved model forgets its loss function, so
# that it is given again when one is loaded.
ARGUMENTS = ["--loss_function", "logistic", "--quiet", "--no_stdin", "--ring_size", "2"]


def vw_factory() -> Create:
    """How to start a subroutine; all that it starts share one parser."""
    try:
        import vowpalwabbit
    except ImportError:
        raise UsageError(
            "the subroutine 'vw' needs Vowpal Wabbit; install it with: " + how_to_install("vw")
        ) from None
    parser = Parser(vowpalwabbit)
    return lambda classes: VowpalWabbit(parser, 1 if len(classes) == 2 else len(classes))


class Parser:
    """Parses the rows of a step once for all learners that predict or learn them.

    It is open while a learner needs it: newborn on trial are finished long before the others.
    """

    def __init__(self, vowpalwabbit: Any) -> None:
        self.vowpalwabbit = vowpalwabbit
        self.workspace: Any = None
        self.learners = 0  # that are not finished
        self.rows: Rows | None = None
        self.parsed: list[Any] = []

    def examples(self, rows: Rows) -> list[Any]:
        """The rows with the label of two classes: 1 for the second, -1 for the first."""
        if rows is not self.rows:
            self.release()
            if self.workspace is None:
                self.workspace = self.vowpalwabbit.Workspace(arg_list=ARGUMENTS)
            self.rows = rows
            self.parsed = [
                self.workspace.parse(f"{_sign(label == 1)} {text}")
                for label, text in zip(rows.labels.tolist(), texts(rows), strict=True)
            ]
        return self.parsed

    def release(self) -> None:
        for example in self.parsed:
            self.workspace.finish_example(example)
        self.rows, self.parsed = None, []

    def leave(self) -> None:
        """A learner needs it no more."""
        self.learners -= 1
        if not self.learners and self.workspace is not None:
            self.release()
            self.workspace.finish()
            self.workspace = None


class VowpalWabbit(Subroutine):
    """One workspace, or one a class beyond two; the largest margin wins, the first on ties."""

    always_has_probabilities = True

    def __init__(self, parser: Parser, models: int) -> None:
        self.parser = parser
        self.is_finished = False
        parser.learners += 1
        self.models: list[Any] = [
            parser.vowpalwabbit.Workspace(arg_list=ARGUMENTS) for _ in range(models)
        ]

    def predict(self, rows: Rows) -> Ints:
        margins = self._margins(rows)
        if len(self.models) == 1:
            return (margins.ravel() > 0).astype(np.int64)
        best: Ints = margins.argmax(axis=1)
        return best

    def probabilities(self, rows: Rows) -> Floats:
        return of_classes(sigmoid(self._margins(rows)))

    def _margins(self, rows: Rows) -> Floats:
        examples = self.parser.examples(rows)
        margins = [[model.predict(e) for model in self.models] for e in examples]
        return np.array(margins, np.float64).reshape(len(rows), len(self.models))

    def learn(self, rows: Rows) -> None:
        examples = self.parser.examples(rows)
        if len(self.models) == 1:
            for example in examples:
                self.models[0].learn(example)
            return
        for example, label in zip(examples, rows.labels.tolist(), strict=True):
            for c, model in enumerate(self.models):
                example.set_label_string(_sign(label == c))
                model.learn(example)

    def copy(self) -> VowpalWabbit:
        newborn = VowpalWabbit(self.parser, 0)
        with tempfile.TemporaryDirectory() as folder:
            saved = Path(folder) / "model"
            for model in self.models:
                model.save(str(saved))
                arguments = [*ARGUMENTS, "-i", str(saved)]
                newborn.models.append(self.parser.vowpalwabbit.Workspace(arg_list=arguments))
        return newborn

    def finish(self) -> None:
        if self.is_finished:
            return
        self.is_finished = True
        for model in self.models:
            model.finish()
        self.models = []
        self.parser.leave()


def texts(rows: Rows) -> list[str]:
    """The rows in Vowpal Wabbit's format, with whole numbers for names: its index, not a hash."""
    names = range(len(rows.columns.numbers))
    lines = []
    for numbers, slots in zip(rows.numbers.tolist(), rows.slots.tolist(), strict=True):
        parts = [f"{name}:{number!r}" for name, number in zip(names, numbers, strict=True)]
        parts += [str(len(names) + SLOTS * c + slot) for c, slot in enumerate(slots)]
        lines.append(f"| {' '.join(parts)}")
    return lines


def _sign(positive: bool) -> str:
    return "1" if positive else "-1"
