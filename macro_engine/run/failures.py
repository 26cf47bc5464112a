"""Messages for failures of a run, also of the user's own code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from traceback import walk_tb

from macro_engine.core.errors import MacroError
from macro_engine.core.escape import visible
from macro_engine.core.plugins import failure, is_own
from macro_engine.core.state import Part, pack
from macro_engine.discrepancy import DISTANCES
from macro_engine.options.settings import Settings
from macro_engine.strategies import STRATEGIES
from macro_engine.subroutines import OWN


@contextmanager
def failures_in_words(settings: Settings, strategies: Sequence[str], when: str) -> Iterator[None]:
    """Turns exceptions into messages that say when, as in "in the steps from 7"."""
    try:
        yield
    except MacroError:
        raise
    except MemoryError:
        raise MacroError(
            f"not enough memory {when}; shorter steps "
            "(--every), a shorter --history or --max-subroutines need less"
        ) from None
    except (Exception, SystemExit) as error:
        raise _in_words(settings, strategies, error, when) from error


def check_parts(settings: Settings, strategies: Sequence[str], parts: Mapping[str, Part]) -> None:
    """Try to store a state to which code of the user's choice contributes: any other can be."""
    if _parts_of_others(settings, strategies):
        for part in parts.values():
            if isinstance(part, Mapping):
                pack(part)


def _in_words(
    settings: Settings, strategies: Sequence[str], error: BaseException, when: str
) -> BaseException:
    """Code of the user's choice may fail in ways of its own; ours may not."""
    if not (parts := _parts_of_others(settings, strategies)):
        return error
    ran = {frame.f_globals.get("__name__") for frame, _ in walk_tb(error.__traceback__)}
    others = [name for name, module in parts.items() if module in ran] or parts
    return failure(f"{' or '.join(others)} failed {when}", error)


def _parts_of_others(settings: Settings, strategies: Sequence[str]) -> dict[str, str]:
    """Returns the parts of this pipeline that are not built in, and their modules."""
    subroutine, distance = settings["subroutine"], settings["distance"]
    named: dict[str, object] = {f"the distance {distance}": DISTANCES[distance].create}
    named |= {f"the strategy {name}": STRATEGIES[name] for name in strategies}
    parts = {name: str(part.__module__) for name, part in named.items() if not is_own(part)}
    learner = {} if subroutine in OWN else {f"the subroutine {visible(subroutine)}": ""}
    return learner | parts
