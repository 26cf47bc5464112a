"""Messages for failures of a run, also of the user's own code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.plugins import failure, is_own
from macro_engine.discrepancy import DISTANCES
from macro_engine.options.settings import Settings
from macro_engine.strategies import STRATEGIES
from macro_engine.subroutines import OWN


@contextmanager
def failures_in_words(settings: Settings, strategies: Sequence[str], step: int) -> Iterator[None]:
    """Turns exceptions into messages that name the steps."""
    try:
        yield
    except MacroError:
        raise
    except MemoryError:
        raise MacroError(
            f"not enough memory for the steps from {step}; shorter steps "
            "(--every), a shorter --history or --max-subroutines need less"
        ) from None
    except (Exception, SystemExit) as error:
        raise _in_words(settings, strategies, error, step) from error


def _in_words(
    settings: Settings, strategies: Sequence[str], error: BaseException, step: int
) -> BaseException:
    """Code of the user's choice may fail in ways of its own; ours may not."""
    if not (others := _parts_of_others(settings, strategies)):
        return error
    return failure(f"{' or '.join(others)} failed in the steps from {step}", error)


def _parts_of_others(settings: Settings, strategies: Sequence[str]) -> list[str]:
    """Returns the parts of this pipeline that are not built in."""
    subroutine, distance = settings["subroutine"], settings["distance"]
    parts = {
        f"the subroutine {visible(subroutine)}": subroutine in OWN,
        f"the distance {distance}": is_own(DISTANCES[distance].create),
    } | {f"the strategy {name}": is_own(STRATEGIES[name]) for name in strategies}
    return [name for name, own in parts.items() if not own]
