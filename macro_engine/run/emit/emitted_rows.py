"""Finds the predictions and labels to emit."""

from __future__ import annotations

import numpy as np

from macro_engine.algorithm.closed_steps import ClosedSteps
from macro_engine.algorithm.open_predictions import OpenPredictions
from macro_engine.core.late_labels import Outcomes
from macro_engine.core.names import Names
from macro_engine.core.rows import Block
from macro_engine.core.steps import Steps
from macro_engine.run.emit.emission import Emission
from macro_engine.run.emit.lines import PredictedRows
from macro_engine.run.pipeline import Pipeline
from macro_engine.stream.block_maker import BlockMaker


def of_results(results: Steps, block: Block, strategy: str) -> PredictedRows:
    """The rows of steps that were run."""
    line, steps = results.names.index(strategy), np.arange(results.steps)
    members = results.shown_members
    by_row = np.repeat(steps, results.lengths)
    probabilities = results.probabilities
    return PredictedRows(
        results.first_row,
        results.first_step + by_row,
        results.times,
        block.keys,
        results.predictions[line],
        None if probabilities is None else probabilities[line],
        members[by_row],
        results.active[members, steps][by_row],
    )


def outcomes_of(results: Steps, block: Block) -> Outcomes:
    """The labels of steps that were run."""
    rows = results.first_row + np.arange(results.rows)
    steps = results.first_step + np.repeat(np.arange(results.steps), results.lengths)
    labels = results.labels.astype(np.int64)
    return Outcomes(rows, rows, steps, results.times, block.keys, labels)


def of_closed(steps: ClosedSteps, strategy: str, names: Names) -> PredictedRows:
    """The rows of steps whose labels are not all known."""
    block, answer, active = steps.block, steps.answers[strategy], steps.result.active
    members = steps.shown_members(names)
    lengths, each = np.diff(block.starts), np.arange(steps.steps)
    return PredictedRows(
        block.first_row,
        block.first_step + np.repeat(each, lengths),
        block.times,
        block.keys,
        answer.predictions,
        None if answer.probabilities is None else np.asarray(answer.probabilities, np.float32),
        np.repeat(members, lengths),
        np.repeat(active[members, each], lengths),
    )


def emit(emission: Emission, pipeline: Pipeline, block: Block, results: Steps | None) -> None:
    """Hand out the predictions of a block's steps, and the labels that are known."""
    if pipeline.waiting is not None:
        fresh = pipeline.waiting.fresh
        found = None if fresh is None else of_closed(fresh, pipeline.strategy, pipeline.names)
        emission.add_steps(found, block.outcomes)
    elif results is not None:
        found = of_results(results, block, pipeline.strategy)
        emission.add_steps(found, outcomes_of(results, block))


def emit_open_rows(
    emission: Emission, said: OpenPredictions, maker: BlockMaker, strategy: str
) -> None:
    """Emits the predictions of rows of the open step."""
    line, rows = said.names.index(strategy), maker.pending[0]
    stop = len(rows.rows)
    start = stop - said.predictions.shape[1]
    part = rows.cut(start, stop)
    block = Block(
        part.rows, np.array([0, stop - start]), part.times, maker.rows + start, maker.steps,
        keys=part.keys,
    )  # fmt: skip
    probabilities = None if said.probabilities is None else said.probabilities[line]
    n = len(block.rows)
    predicted = PredictedRows(
        block.first_row,
        np.full(n, block.first_step),
        block.times,
        block.keys,
        said.predictions[line],
        None if probabilities is None else np.asarray(probabilities, np.float32),
        np.full(n, said.member),
        np.full(n, said.active),
    )
    emission.add(predicted)
