"""The kernels that a run needs, by its settings."""

from __future__ import annotations

from macro_engine.algorithm.needed_kernels import NeededKernels
from macro_engine.run.score.undelayed import prices_waiting
from macro_engine.stream.opening import Opened


def kernels_of(
    opened: Opened,
    has_kernels: bool,
    compiles_strategies: bool,
    with_probabilities: bool,
    looks_ahead: bool,
) -> NeededKernels | None:
    """Whatever is compiled for the run; None for a run that takes no kernel at all."""
    settings, spec = opened.settings, opened.spec
    late = spec.late_labels
    scales = (spec.scaled or spec.wants_units) and not spec.bounds.keys() >= {*spec.features}
    needed = NeededKernels(
        settings["distance"] if has_kernels else None,
        settings["subroutine"] if has_kernels else None,
        tuple(settings["strategies"]) if compiles_strategies else (),
        with_probabilities,
        looks_ahead,
        scales,
        late is not None,
        late is None or prices_waiting(late, looks_ahead),
    )
    return needed if compiles_strategies or scales else None
