"""Settings under one name: the paper's experiments.

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
}


def preset(name: str) -> Layer:
    """The settings of a preset, history and thresholds of its distance included."""
    values = dict(PRESETS[name])
    distance = DISTANCES[values["distance"]]
    values.setdefault("history", distance.history)
    values.setdefault("thresholds", sorted(distance.thresholds))
    return Layer(f"preset {name}", values, is_whole=True)
