"""What is emitted: predictions and labels, from where they are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from macro_engine.algorithm.block_result import OpenPredictions
from macro_engine.algorithm.closed_steps import ClosedSteps
from macro_engine.core.late_labels import Outcomes
from macro_engine.core.rows import Block, Counts
from macro_engine.core.steps import Steps
from macro_engine.run.emit.emission import Emission
from macro_engine.run.emit.lines import PredictedRows
from macro_engine.run.pipeline import Pipeline
from macro_engine.strategies import LEADER
from macro_engine.stream.block_maker import BlockMaker


def of_results(results: Steps, block: Block, strategy: str) -> PredictedRows:
    """The rows of steps that were run."""
    place, steps = results.names.place(strategy), np.arange(results.steps)
    leaders = np.full(results.steps, len(results.names.members) - 1)
    if results.leaders is not None:
        leaders = results.leaders.astype(np.int64)
    by_row = np.repeat(steps, results.lengths)
    probabilities = results.probabilities
    return PredictedRows(
        results.first_row,
        results.first_step + by_row,
        results.times,
        block.keys,
        results.predictions[place],
        None if probabilities is None else probabilities[place],
        leaders[by_row],
        results.active[leaders, steps][by_row],
    )


def outcomes_of(results: Steps, block: Block) -> Outcomes:
    """The labels of steps that were run."""
    rows = results.first_row + np.arange(results.rows)
    steps = results.first_step + np.repeat(np.arange(results.steps), results.lengths)
    labels = results.labels.astype(np.int64)
    return Outcomes(rows, rows, steps, results.times, block.keys, labels)


def of_closed(steps: ClosedSteps, strategy: str) -> PredictedRows:
    """The rows of steps whose labels are not all known."""
    block, answer, active = steps.block, steps.answers[strategy], steps.result.active
    leaders = np.full(steps.steps, len(active) - 1)
    if "ftl" in steps.answers:
        leaders = steps.answers["ftl"].shown[LEADER]
    lengths, each = np.diff(block.starts), np.arange(steps.steps)
    return PredictedRows(
        block.first_row,
        block.first_step + np.repeat(each, lengths),
        block.times,
        block.keys,
        answer.predictions,
        None if answer.probabilities is None else np.asarray(answer.probabilities, np.float32),
        np.repeat(leaders, lengths),
        np.repeat(active[leaders, each], lengths),
    )


def emit(emission: Emission, pipeline: Pipeline, block: Block, results: Steps | None) -> None:
    """Hand out the predictions of a block's steps, and the labels that are known."""
    if pipeline.waiting is not None:
        fresh = pipeline.waiting.fresh
        found = None if fresh is None else of_closed(fresh, pipeline.strategy)
        emission.add_steps(found, block.outcomes)
    elif results is not None:
        found = of_results(results, block, pipeline.strategy)
        emission.add_steps(found, outcomes_of(results, block))


def emit_open_rows(
    emission: Emission,
    said: OpenPredictions,
    maker: BlockMaker,
    strategy: str,
    leader: int,
    active: int,
) -> None:
    """Hand out what is said of rows that came to the open step."""
    place, rows = said.names.place(strategy), maker.pending[0]
    stop = len(rows.rows)
    start = stop - said.predictions.shape[1]
    part = rows.cut(start, stop)
    block = Block(
        part.rows, np.array([0, stop - start]), part.times, maker.rows + start, maker.steps,
        keys=part.keys,
    )  # fmt: skip
    probabilities = None if said.probabilities is None else said.probabilities[place]
    emission.add(_of_step(block, said.predictions[place], probabilities, leader, active))


def _of_step(
    block: Block, predictions: Counts, probabilities: Any, leader: int, active: int
) -> PredictedRows:
    """The rows of one step, given its leader and the active subroutine of that."""
    n = len(block.rows)
    return PredictedRows(
        block.first_row,
        np.full(n, block.first_step),
        block.times,
        block.keys,
        predictions,
        None if probabilities is None else np.asarray(probabilities, np.float32),
        np.full(n, leader),
        np.full(n, active),
    )
