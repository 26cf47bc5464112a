"""The kernels that a run needs, by its settings."""

from __future__ import annotations

from collections.abc import Sequence

from macro_engine.algorithm.needed_kernels import NeededKernels
from macro_engine.core.plugins import is_own
from macro_engine.run.score.undelayed import prices_waiting
from macro_engine.strategies import PAPER, STRATEGIES
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
    strategies, want_probabilities = _own(settings["strategies"])
    needed = NeededKernels(
        settings["distance"] if has_kernels else None,
        settings["subroutine"] if has_kernels else None,
        strategies if compiles_strategies else (),
        with_probabilities or want_probabilities,
        looks_ahead,
        scales,
        late is not None,
        late is None or prices_waiting(late, looks_ahead),
    )
    return needed if compiles_strategies or scales else None


def _own(strategies: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """Those that may be tried on made rows, and whether others want probabilities.

    There is one at least, as there is something to compile for whoever chooses among members.
    """
    own = tuple(name for name in strategies if is_own(STRATEGIES[name]))
    others = [STRATEGIES[name] for name in strategies if name not in own]
    return own or PAPER[:1], any(strategy.wants_probabilities for strategy in others)
