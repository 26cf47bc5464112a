"""The results of an experiment: cells, verdicts, differences and tables."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from macro_engine import __version__
from macro_engine.experiments.cells import Cells, Compared, Verdict
from macro_engine.experiments.tables import ResultTable
from macro_engine.work.tasks import Failed

_PACKAGES = ("numpy", "numba", "polars", "river", "vowpalwabbit")


@dataclass
class Outcome:
    """The outcome of an experiment, as `reproduce` prints and writes it.

    Attributes
    ----------
    name
        Of the experiment.
    place_name
        What a place is called in JSON: `airport` or `activity`.
    tables
        In the order in which they are shown; those of the claims are apart.
    notes
        Lines that belong to every figure.
    failed
        Tasks whose cells are missing.
    """

    name: str
    place_name: str
    cells: Cells
    verdicts: Sequence[Verdict]
    compared: Sequence[Compared]
    tables: Sequence[ResultTable]
    claims: Sequence[ResultTable]
    notes: Sequence[str]
    settings: dict[str, Any]
    failed: Sequence[Failed] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """As `--json` writes it."""
        return {
            "cells": [cell.document(self.place_name) for cell in self.cells],
            "claims": [verdict.document() for verdict in self.verdicts],
            "differences": [one.document(self.place_name) for one in self.compared],
            "experiment": self.name,
            "settings": self.settings,
            "versions": versions(),
            "notes": list(self.notes),
            "failed": [{"task": f.task.in_words(), "reason": f.reason} for f in self.failed],
            **self.extra,
        }


def versions() -> dict[str, str]:
    """Of this program and of what its figures depend on."""
    found = {"macro-tui": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
