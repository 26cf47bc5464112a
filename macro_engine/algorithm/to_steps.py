"""What everyone said in a block, as `Steps`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macro_engine.algorithm.family_result import FamilyResult
from macro_engine.core.errors import MacroError
from macro_engine.core.names import BASELINES, Names
from macro_engine.core.rows import Block, Counts
from macro_engine.core.smallest_type import as_float16, counts_type, smallest_unsigned
from macro_engine.core.steps import Steps, changes, piece_starts
from macro_engine.core.totals import Totals
from macro_engine.strategies import Answer, Completion, Forecasts, leaders_of
from macro_engine.strategies.forecasts import count_wrong


def to_steps(
    block: Block,
    names: Names,
    family: FamilyResult,
    completion: Completion,
    answers: Mapping[str, Answer],
    before: Totals,
    late: bool = False,
) -> Steps:
    """The steps of a block that are complete, given the totals before it.

    Parameters
    ----------
    late
        Whether labels come late, so that one of -1 never came.
    """
    labels, nobody = completion.labels, np.zeros(block.steps, np.uint8)
    predictions, probabilities = all_predictions(names, completion.forecasts, answers)
    series = predictions[: len(names.series)]
    wrong = np.concatenate([count_wrong(series, labels, block.starts), completion.wrong])
    shown = {name: answer.shown for name, answer in answers.items()}
    leaders = leaders_of(names, shown, block.steps)
    lengths = smallest_unsigned(np.diff(block.starts))
    listed = changes(family.active)
    listed[:, piece_starts(lengths)] = True
    steps, members = listed.T.nonzero()
    return Steps(
        first_step=block.first_step,
        first_row=block.first_row,
        before=before,
        lengths=lengths,
        late=nobody if block.late is None else smallest_unsigned(block.late),
        rejected=nobody if block.rejected is None else smallest_unsigned(block.rejected),
        wrong=smallest_unsigned(wrong),
        active=smallest_unsigned(family.active),
        subroutines=smallest_unsigned(family.subroutines),
        born=family.born,
        close=smallest_unsigned(family.close),
        distance=family.distance,
        listed=listed,
        nearest=smallest_unsigned(family.nearest[members, steps]),
        distances=as_float16(family.nearest_distances[members, steps]),
        times=block.times,
        labels=smallest_unsigned(np.maximum(labels, 0)),
        predictions=predictions,
        leaders=None if leaders is None else smallest_unsigned(leaders),
        probabilities=probabilities,
        shown=_shown(names, shown, block.steps),
        labelled=smallest_unsigned(completion.labelled) if late else None,
        known=labels >= 0 if late else None,
    )


def all_predictions(
    names: Names, forecasts: Forecasts, answers: Mapping[str, Answer]
) -> tuple[Counts, NDArray[np.float32] | None]:
    """Those of everyone, and the probabilities that are kept; None in a run that computes none."""
    others, n = len(names.series), len(forecasts.rows)
    predictions = np.empty((names.predictors, n), counts_type(names.classes - 1))
    predictions[0], predictions[1] = forecasts.marginal, forecasts.no_change
    predictions[others:] = forecasts.members
    for line, answer in enumerate(answers.values(), len(BASELINES)):
        predictions[line] = answer.predictions
    if forecasts.marginal_probabilities is None:
        return predictions, None
    probabilities = np.full((others, n, names.classes), np.nan, np.float32)
    probabilities[0] = forecasts.marginal_probabilities
    probabilities[1] = forecasts.no_change_probabilities
    for line, answer in enumerate(answers.values(), len(BASELINES)):
        if answer.probabilities is not None:
            probabilities[line] = answer.probabilities
    return predictions, probabilities


def _shown(
    names: Names, shown: Mapping[str, Mapping[str, Any]], steps: int
) -> NDArray[np.float32] | None:
    """What strategies show, a line for each number; NaN where one does not after all."""
    if not names.shown:
        return None
    lines_by_steps = np.full((len(names.shown), steps), np.nan, np.float32)
    for strategy, thing in dict.fromkeys((one.strategy, one.thing) for one in names.shown):
        lines, found = names.lines_of(thing)[strategy], shown[strategy].get(thing)
        if found is not None:
            by_parts = found if found.ndim == 2 else found[:, None]
            if by_parts.shape != (steps, len(lines)):
                raise MacroError(
                    f"the strategy '{strategy}' shows '{thing}' as {found.shape}, where "
                    f"{steps} steps by {len(lines)} parts are expected; see Strategy.parts"
                )
            lines_by_steps[lines] = by_parts.T
    return lines_by_steps
