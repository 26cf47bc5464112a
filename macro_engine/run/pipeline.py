"""The pipeline of a step: the ensemble, the scoreboard and the event finder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from time import perf_counter
from typing import Any

import numpy as np

from macro_engine.algorithm.any_family import AnyFamily
from macro_engine.algorithm.compiled_support import has_compiled_path
from macro_engine.algorithm.ensemble import Ensemble
from macro_engine.algorithm.family import Family
from macro_engine.algorithm.waiting_steps import WaitingSteps
from macro_engine.core.rows import Block, Columns, Floats
from macro_engine.core.state import DamagedError, Part, State, array, child, texts
from macro_engine.core.steps import Steps
from macro_engine.discrepancy import DISTANCES, Discrepancy, Shape
from macro_engine.run.compiling.kernels_of_run import kernels_of
from macro_engine.run.compiling.warming import Warming, load, must_warm_up
from macro_engine.run.events import Event, EventFinder
from macro_engine.run.failures import check_parts, failures_in_words
from macro_engine.run.score.lead import Lead
from macro_engine.run.score.scoreboard import Scoreboard
from macro_engine.run.score.undelayed import UndelayedRun, prices_waiting
from macro_engine.run.usable_strategies import usable_strategies
from macro_engine.strategies import STRATEGIES, names_along
from macro_engine.stream.opening import Opened
from macro_engine.subroutines import resolve
from macro_engine.subroutines.output import converted

_PATHS = ("general", "plain", "compiled")
_THEN = ", then "
_WAITING = "waiting/"  # the parts of a state that hold steps without labels
_BLOCK_SECONDS = 0.025  # aimed at, so that a block stays below 50 ms where somebody watches


class Pipeline:
    """Runs blocks of steps.

    Parameters
    ----------
    looks_ahead
        Whether rows of a step that is still open will be predicted.
    announce
        Takes a line of text before something that takes its time.
    with_probabilities
        Whether probabilities are computed even if no strategy wants them.

    Attributes
    ----------
    paths
        Which implementations ran the steps so far, in their order.
    has_kernels, compiles_strategies
        Whether the family runs on kernels, and whether strategies do.
    needed
        The kernels of the run; None if it has none.
    warming
        Has them compiled; None where nothing need be.
    ensemble, scoreboard
        None until classes and columns are known.
    waiting
        The steps that wait for labels; None where none has to.
    at_once
        The same run without waiting, where a recording has all labels; None elsewhere.
    columns
        Those of the newest block.
    seconds
        Time spent on steps; reading and start-up are not in it.
    names
        What stands along the axes of the results.
    strategies, strategy
        Which are computed, and whose prediction is the prediction.
    steps_at_once, block_seconds
        How many steps make a block of good length, and how long that is.
    time
        Of the newest row; None where the stream has none.
    """

    def __init__(
        self,
        opened: Opened,
        looks_ahead: bool,
        announce: Callable[[str], None],
        with_probabilities: bool = False,
    ) -> None:
        self.opened = opened
        self.with_probabilities = with_probabilities
        self.looks_ahead = looks_ahead
        self.announce = announce
        settings = opened.settings
        compiled = has_compiled_path(
            settings["distance"], settings["subroutine"], settings["output"], settings.histories
        )
        slow = any(STRATEGIES[name].is_slow_uncompiled for name in settings["strategies"])
        self.has_kernels, self.compiles_strategies = compiled, compiled or slow
        self.needed = kernels_of(
            opened, compiled, self.compiles_strategies, with_probabilities, looks_ahead
        )
        self.warming: Warming | None = None
        self.told_of_failure = False
        self.paths: list[str] = []
        if not compiled:
            self.create = converted(
                resolve(
                    settings["subroutine"], settings.get("seed"), settings.get("learning_rate")
                ),
                settings["output"],
                settings["delta"],
            )
        self.members = settings.members
        self.strategies: list[str] = settings["strategies"]
        self.strategy: str = settings["strategy"]
        self.names = names_along(self.strategies, self.members, 0, self.strategy)
        self.classes: tuple[str, ...] = ()
        self.thresholds: Floats | None = None  # where the first rows told them
        self.columns = Columns(())
        self.ensemble: Ensemble | None = None
        self.scoreboard: Scoreboard | None = None
        self.waiting: WaitingSteps | None = None
        self.at_once: UndelayedRun | None = None
        self.lead: Lead | None = None
        self.events = EventFinder(self.names)
        self.seconds = self.plain_seconds = self.longest_block = 0.0
        self.steps_at_once, self.block_seconds = 1, _BLOCK_SECONDS
        self.time: int | None = None

    @property
    def path(self) -> str:
        """Which implementations ran the steps so far, or will run the first one."""
        return _THEN.join(self.paths or [self._path()])

    @property
    def is_plain(self) -> bool:
        """Whether the run plays on without its kernels, which are not compiled yet."""
        return self.warming is not None

    @property
    def warming_words(self) -> str:
        """The time the compiler takes, for the user; empty if the run does not wait for it."""
        if self.warming is None or self.warming.is_ready or self.warming.failure:
            return ""
        return self.warming.words

    @property
    def steps(self) -> int:
        return 0 if self.scoreboard is None else self.scoreboard.steps

    @property
    def closed_steps(self) -> int:
        """The number of closed steps; some may wait for their labels."""
        return self.steps if self.waiting is None else self.waiting.closed

    @property
    def rows(self) -> int:
        return 0 if self.scoreboard is None else self.scoreboard.rows

    @property
    def unanswered(self) -> int:
        return self.ensemble.family.unanswered if self.ensemble else 0

    @property
    def reference_count(self) -> int:
        return self.ensemble.family.reference_count if self.ensemble else 0

    @property
    def distance_share(self) -> float:
        """The share of the time that went into distances."""
        spent = self.ensemble.family.distance_seconds if self.ensemble else 0.0
        seconds = self.seconds - self.plain_seconds  # of which nothing is known
        return min(spent / seconds, 1.0) if seconds > 0.0 else 0.0

    def took(self, path: object) -> None:
        """Adds the paths of an earlier session of the run, from its file."""
        self.paths = [name for name in str(path).split(_THEN) if name in _PATHS]

    def warm_up(self) -> None:
        """Begin to have the kernels compiled where they are not in the cache."""
        if self.needed is not None and must_warm_up(self.needed):
            self.warming = Warming(self.needed)
            self.announce(self.warming.announcement)

    def start(
        self, classes: tuple[str, ...], columns: Columns, thresholds: Sequence[float] | None
    ) -> Ensemble:
        """Build everything that had to wait for classes, columns and thresholds to be known.

        `thresholds` are those that were found in the first rows, where the settings name none.
        """
        settings = self.opened.settings
        if thresholds is not None:
            self.thresholds = np.array(thresholds)
            self.members = settings.members_at(thresholds)
        shape = Shape(
            len(classes),
            len(columns.compared.numbers),
            settings.histories[0],
            self.opened.spec.scaled,
            settings["empty_class"],
        )
        self.classes, self.columns = classes, columns
        settings.check_class(classes)
        self.strategies, self.strategy = usable_strategies(
            self.strategies, self.strategy, len(classes), self.announce
        )
        with self.failures_in_words("in the steps from 0"):
            discrepancy = DISTANCES[settings["distance"]].create(shape)  # or it says why not
            self.ensemble = self._made(discrepancy, shape, columns)
        self.names = self.ensemble.names
        self.events = EventFinder(self.names)
        self.scoreboard = Scoreboard(self.names, self.strategy)
        self.lead = Lead(self.names)
        late = self.opened.spec.late_labels
        if late is not None:
            self.waiting = WaitingSteps(self.ensemble)
            if prices_waiting(late, self.looks_ahead):
                self.at_once = UndelayedRun(self._made(discrepancy, shape, columns))
        return self.ensemble

    def run(self, block: Block) -> tuple[Steps | None, list[Event]]:
        """Runs a block; returns the results of the completed steps."""
        assert self.ensemble is not None
        assert self.scoreboard is not None
        assert self.lead is not None
        self._look_at_compiler()
        self.columns = block.rows.columns
        if not self.paths or self.paths[-1] != self._path():
            self.paths.append(self._path())
        started = perf_counter()
        with self.failures_in_words(f"in the steps from {block.first_step}"):
            results = self._results(block)
        if results is not None:
            self.scoreboard.update(results)
            self.lead.update(results)
        spent = perf_counter() - started
        self.seconds += spent
        self.plain_seconds += spent if self.is_plain else 0.0
        self.longest_block = max(self.longest_block, spent)
        pace = block.steps / max(spent, 1e-6)
        most = max(2 * block.steps, self.steps_at_once)
        self.steps_at_once = max(1, min(int(pace * self.block_seconds), most))
        if block.times is not None:
            self.time = int(block.times[-1])
        return results, [] if results is None else list(self.events.find(results))

    def _results(self, block: Block) -> Steps | None:
        """Returns the results of a block; None if no step is complete yet."""
        assert self.ensemble is not None
        assert self.scoreboard is not None
        if self.waiting is None:
            return self.ensemble.run(block, self.scoreboard.totals)
        done = self.waiting.run(block, self.scoreboard.totals)
        if self.at_once is not None:
            self.at_once.run(block, self.waiting.closed - self.waiting.completed)
        return done

    def failures_in_words(self, when: str) -> AbstractContextManager[None]:
        """Turns exceptions into messages that say when."""
        return failures_in_words(self.opened.settings, self.strategies, when)

    def finish(self) -> None:
        """Releases resources held outside of Python."""
        if self.warming is not None:
            self.warming.stop()
        if self.ensemble is not None:
            self.ensemble.family.finish()
        if self.at_once is not None:
            self.at_once.ensemble.family.finish()

    def state(self, whole: bool = True) -> dict[str, Part]:
        """Returns the complete state; empty before the start.

        Without `whole`, parts that did not change since the last call may be missing.
        """
        if self.ensemble is None or self.scoreboard is None or self.lead is None:
            return {}
        with self.failures_in_words("as the state was stored"):
            parts: dict[str, Part] = {**self.ensemble.state(whole)}
            if self.waiting is not None:
                waiting = self.waiting.commit(whole)
                parts |= {f"{_WAITING}{name}": state for name, state in waiting.items()}
            if self.at_once is not None:
                parts |= self.at_once.state(whole)
            check_parts(self.opened.settings, self.strategies, parts)
        return parts | {
            "columns": self.columns.state()
            | {"classes": list(self.classes), "thresholds": self.thresholds},
            "scoreboard": self.scoreboard.state(),
            "lead": self.lead.state(),
            "events": self.events.state(),
        }

    def restore(self, state: State) -> None:
        """Restores a state; the pipeline must be new. See `start`."""
        if "family" not in state:
            return
        known = child(state, "columns")
        classes = tuple(texts(known, "classes"))
        if len(classes) < 2:
            raise DamagedError("in its state the classes are missing")
        columns = self.opened.spec.encoded().restored(known)
        found = None
        if known.get("thresholds") is not None:
            found = array(known, "thresholds", np.float64, (None,)).tolist()
        ensemble = self.start(classes, columns, found)
        assert self.scoreboard is not None
        self.scoreboard.restore(child(state, "scoreboard"))
        self.lead = Lead.restored(self.names, state, self.steps)
        self.events.restore(child(state, "events"))
        with self.failures_in_words("as the state was restored"):
            ensemble.restore(state, columns)
            self._restore_waiting(state, columns)
        if self.waiting is None and ensemble.family.step != self.steps:
            raise DamagedError("the parts of its state are of different moments")

    def _restore_waiting(self, state: State, columns: Columns) -> None:
        """Go on with the steps that waited for their labels."""
        if self.waiting is not None:
            parts = {
                n.removeprefix(_WAITING): child(state, n) for n in state if n.startswith(_WAITING)
            }
            self.waiting.restore(parts, columns, self.steps)
            if self.at_once is not None:
                self.at_once.restore(state, columns)

    def _path(self) -> str:
        if not self.has_kernels:
            return "general"
        return "plain" if self.is_plain else "compiled"

    def _look_at_compiler(self) -> None:
        """Switches to compiled kernels if they are ready; between two blocks."""
        warming = self.warming
        if warming is None or self.ensemble is None:
            return
        if warming.is_ready:
            self.warming = None
            if self.compiles_strategies:
                self.ensemble.compile()
                if self.at_once is not None:
                    self.at_once.ensemble.compile()
        elif warming.failure and not self.told_of_failure:
            self.told_of_failure = True
            self.announce(warming.failure)

    def _made(self, discrepancy: Discrepancy[Any], shape: Shape, columns: Columns) -> Ensemble:
        if self.has_kernels:
            return self._over_kernels(shape, columns)
        return self._general(discrepancy, columns)

    def _over_kernels(self, shape: Shape, columns: Columns) -> Ensemble:
        from macro_engine.algorithm.compiled_family import CompiledFamily, CompiledSettings

        settings = self.opened.settings
        self._load_kernels()
        compiled = CompiledSettings(
            self.members,
            settings["distance"],
            shape,
            settings["subroutine"],
            settings["eps_power"],
            settings.most_subroutines,
            settings.get("learning_rate"),
        )
        late = self.opened.spec.late_labels is not None
        return self._ensemble(CompiledFamily(compiled, columns, self.is_plain, late), columns)

    def _general(self, discrepancy: Discrepancy[Any], columns: Columns) -> Ensemble:
        settings, classes = self.opened.settings, self.classes
        self._load_kernels()
        family = Family(
            self.members,
            discrepancy,
            lambda: self.create(classes),
            columns,
            len(classes),
            settings["eps_power"],
            settings.most_subroutines,
        )
        return self._ensemble(family, columns)

    def _load_kernels(self) -> None:
        """Which is start-up and not a part of the run; unless they are compiled meanwhile."""
        if self.needed is None:
            return
        from macro_engine.core.compiling import tell_of_trouble

        tell_of_trouble(self.announce)
        if not self.is_plain:
            load(self.needed, self.announce)

    def _ensemble(self, family: AnyFamily, columns: Columns) -> Ensemble:
        compiled = self.compiles_strategies and not self.is_plain
        return Ensemble(
            family, columns, self.strategies, self.with_probabilities, compiled, self.strategy
        )
