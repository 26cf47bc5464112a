"""Presets: the settings of the paper's experiments.

A preset is weaker than the command line and stronger than what stands in files.
"""

from __future__ import annotations

from typing import Any

from macro_engine.discrepancy import DISTANCES
from macro_engine.options.settings import Layer

# the features in use today are scaled otherwise than the paper's: their thresholds lie here
_BREAKFAST_THRESHOLDS = (6.0, 8.0, 9.0)

PRESETS: dict[str, dict[str, Any]] = {
    "paper-features": {"subroutine": "logistic", "distance": "features", "missing": "reject"},
    "paper-labels": {"subroutine": "logistic", "distance": "labels", "missing": "reject"},
    "breakfast": {
        "subroutine": "nearest-mean",
        "distance": "frames",
        "every": "1",
        "scale": "none",
        "missing": "reject",
        "thresholds": sorted({*DISTANCES["frames"].thresholds, *_BREAKFAST_THRESHOLDS}),
    },
    "breakfast-labels": {
        "subroutine": "nearest-mean",
        "distance": "labels",
        "every": "1",
        "scale": "none",
        "missing": "reject",
        "history": 5,
        "thresholds": [0.01, 0.05, 0.1, 0.2, 0.5, 1.0],
    },
}
# the two distances of one experiment: under a preset, the other one that is named takes its grid
_EXPERIMENTS = (("breakfast", "breakfast-labels"),)


def preset(name: str) -> Layer:
    """The settings of a preset, history and thresholds of its distance included."""
    together = next((names for names in _EXPERIMENTS if name in names), ())
    grids = {values["distance"]: values for values in map(_values, together)}
    return Layer(f"preset {name}", _values(name), is_whole=True, grids=grids)


def _values(name: str) -> dict[str, Any]:
    values = dict(PRESETS[name])
    distance = DISTANCES[values["distance"]]
    values.setdefault("history", distance.history)
    values.setdefault("thresholds", sorted(distance.thresholds))
    return values
