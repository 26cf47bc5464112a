"""Steps that are closed and wait for labels: in order, with all that was said of their rows."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from macro_engine.algorithm.chosen_step import ChosenStep
from macro_engine.algorithm.ensemble import ClosedStep, Ensemble
from macro_engine.algorithm.family import with_marginal
from macro_engine.algorithm.outcome import Outcome
from macro_engine.core.rows import Block, Columns, Floats, Ints, Rows
from macro_engine.core.state import DamagedError, State, array, child, children, indices, whole
from macro_engine.strategies import Answer, Forecasts


@dataclass(frozen=True, eq=False)
class WaitingStep:
    """A closed step: its rows as a block of one step, and what was said of them."""

    block: Block
    closed: ClosedStep


class WaitingSteps:
    """Opens and closes the steps of blocks, and completes them when their labels are known.

    A part of the stored state has the steps that closed since the commit before. It is dropped when
    all of them are complete.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self.steps: deque[WaitingStep] = deque()
        self.parts: deque[tuple[int, int]] = deque()  # of each stored part: its name, last step
        self.fresh: list[WaitingStep] = []  # closed by the last block
        self.stored = 0  # steps before this one are in a part
        self.next_part = 0

    @property
    def closed(self) -> int:
        """How many steps were closed."""
        return self.ensemble.family.step

    @property
    def completed(self) -> int:
        """How many steps were completed."""
        return self.closed - len(self.steps)

    def run(self, block: Block) -> tuple[Block, Outcome] | None:
        """Take a block of steps in; the steps that are complete by then, if there are any."""
        assert block.completions is not None
        done: list[tuple[Block, Outcome]] = []
        self.fresh = []
        steps = replace(block, completions=None, outcomes=None)
        for s, before in enumerate(block.completions.before[:-1].tolist()):
            self._complete(before, block, done)
            opened = self.ensemble.open()
            step = steps.cut(s, s + 1)
            self.steps.append(WaitingStep(step, self.ensemble.close(opened, step.rows)))
            self.fresh.append(self.steps[-1])
            opened.finish()
        self._complete(int(block.completions.before[-1]), block, done)
        if not done:
            return None
        return _joined([step for step, _ in done]), Outcome.join([outcome for _, outcome in done])

    def _complete(self, until: int, block: Block, done: list[tuple[Block, Outcome]]) -> None:
        """Complete the steps before one, with the labels that a block brings."""
        assert block.completions is not None
        while self.completed < until:
            labels = block.completions.labels_of(self.completed)
            step = self.steps.popleft()
            outcome = self.ensemble.complete(step.closed, labels)
            rows = replace(step.block.rows, labels=labels)
            done.append((replace(step.block, rows=rows), outcome))

    def commit(self, is_whole: bool) -> dict[str, State | None]:
        """The parts to store now, by name; None for one that is no more."""
        found: dict[str, State | None] = {}
        if is_whole:
            found = {str(name): None for name, _ in self.parts}
            self.parts.clear()
            self.stored = self.completed
        while self.parts and self.parts[0][1] < self.completed:
            found[str(self.parts.popleft()[0])] = None
        fresh = [step for step in self.steps if step.block.first_step >= self.stored]
        if fresh:
            found[str(self.next_part)] = {"steps": [self._state(step) for step in fresh]}
            self.parts.append((self.next_part, fresh[-1].block.first_step))
            self.next_part += 1
            self.stored = self.closed
        return found

    def restore(self, parts: Mapping[str, State], columns: Columns, completed: int) -> None:
        """Go on from what was stored; the ensemble is restored already."""
        for name in sorted(parts, key=int):
            steps = [self._restored(kept, columns) for kept in children(parts[name], "steps")]
            self.steps += [step for step in steps if step.block.first_step >= completed]
            self.parts.append((int(name), steps[-1].block.first_step))
        numbers = [step.block.first_step for step in self.steps]
        if numbers != list(range(completed, self.closed)):
            raise DamagedError("in its state the steps that wait for labels are not complete")
        self.stored = self.closed
        self.next_part = self.parts[-1][0] + 1 if self.parts else 0

    def _state(self, step: WaitingStep) -> State:
        block, closed = step.block, step.closed
        forecasts, rows = closed.forecasts, closed.forecasts.rows
        strategies = zip(self.ensemble.strategies, closed.answers.values(), strict=True)
        return {
            "first_row": block.first_row,
            "first_step": block.first_step,
            "times": block.times,
            "late": None if block.late is None else int(block.late[0]),
            "rejected": None if block.rejected is None else int(block.rejected[0]),
            "keys": None if block.keys is None else list(block.keys),
            "rows": rows.state() | {"raw": rows.raw, "units": rows.units},
            "choice": closed.family.state(),
            "lines": closed.lines.astype(np.int64),
            "last": closed.last,
            "no_change": forecasts.no_change.astype(np.int64),
            "probabilities": {
                "members": forecasts.member_probabilities,
                "marginal": forecasts.marginal_probabilities,
                "no_change": forecasts.no_change_probabilities,
            },
            "answers": [
                {
                    "predictions": answer.predictions.astype(np.int64),
                    "probabilities": answer.probabilities,
                    "shown": {name: np.asarray(shown) for name, shown in answer.shown.items()},
                    "kept": strategy.kept_state(answer.kept),
                }
                for strategy, answer in strategies
            ],
        }

    def _restored(self, state: State, columns: Columns) -> WaitingStep:
        ensemble, classes = self.ensemble, self.ensemble.classes
        kept = child(state, "rows")
        rows = Rows.restored(kept, columns, classes)
        n = len(rows)
        raw, units = _floats(kept, "raw", (n, None)), _floats(kept, "units", (n, None))
        rows = replace(rows, raw=raw, units=units)
        k, lines = len(ensemble.family.members), len(with_marginal(ensemble.family.members))
        said = indices(state, "lines", (lines, n), classes)
        found = child(state, "probabilities")
        first_step = whole(state, "first_step")
        forecasts = Forecasts(
            rows, np.array([0, n]), first_step, said[:k], said[-1],
            indices(state, "no_change", (n,), classes),
            _floats(found, "members", (k, n, classes)),
            _floats(found, "marginal", (n, classes)),
            _floats(found, "no_change", (n, classes)),
        )  # fmt: skip
        stored = children(state, "answers", len(ensemble.strategies))
        answers = {
            strategy.name: Answer(
                indices(answer, "predictions", (n,), classes),
                _floats(answer, "probabilities", (n, classes)),
                {name: np.asarray(shown) for name, shown in child(answer, "shown").items()},
                None if answer.get("kept") is None else strategy.kept(child(answer, "kept")),
            )
            for strategy, answer in zip(ensemble.strategies, stored, strict=True)
        }
        block = Block(
            rows,
            np.array([0, n]),
            None if state.get("times") is None else array(state, "times", np.int64, (n,)),
            whole(state, "first_row"),
            first_step,
            _count(state, "late"),
            _count(state, "rejected"),
            None if state.get("keys") is None else [str(key) for key in state["keys"]],
        )
        chosen = ChosenStep.restored(child(state, "choice"), k, lines)
        last = whole(state, "last", -1, classes - 1)
        return WaitingStep(block, ClosedStep(chosen, forecasts, said, answers, last))


def _joined(steps: Sequence[Block]) -> Block:
    """Blocks of one step each that follow each other, as one."""
    first = steps[0]
    if len(steps) == 1:
        return first
    times = [step.times for step in steps if step.times is not None]
    late = [step.late for step in steps if step.late is not None]
    rejected = [step.rejected for step in steps if step.rejected is not None]
    return Block(
        Rows.join([step.rows for step in steps], steps[-1].rows.columns),
        np.concatenate([[0], np.cumsum([len(step.rows) for step in steps])]),
        np.concatenate(times) if times else None,
        first.first_row,
        first.first_step,
        np.concatenate(late) if late else None,
        np.concatenate(rejected) if rejected else None,
    )


def _floats(state: State, name: str, shape: tuple[int | None, ...]) -> Floats | None:
    return None if state.get(name) is None else array(state, name, np.float64, shape)


def _count(state: State, name: str) -> Ints | None:
    return None if state.get(name) is None else np.array([whole(state, name)])
