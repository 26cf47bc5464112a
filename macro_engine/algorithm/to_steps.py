"""What everyone said in a block, as `Steps`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from macro_engine.algorithm.block_result import BlockResult
from macro_engine.core.errors import MacroError
from macro_engine.core.rows import Block
from macro_engine.core.smallest_type import as_float16, smallest_unsigned
from macro_engine.core.steps import Steps, changes, piece_starts
from macro_engine.core.totals import Totals
from macro_engine.strategies import leaders_of


def to_steps(block: Block, result: BlockResult, before: Totals, late: bool = False) -> Steps:
    """The steps of a block, given the totals before it.

    Parameters
    ----------
    late
        Whether labels come late, so that one of -1 never came.
    """
    labels = block.rows.labels
    known = labels >= 0 if late else None
    family, nobody = result.family, np.zeros(block.steps, np.uint8)
    leaders = leaders_of(result.names, result.shown, block.steps)
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
        wrong=smallest_unsigned(result.wrong),
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
        predictions=result.predictions,
        leaders=None if leaders is None else smallest_unsigned(leaders),
        probabilities=result.probabilities,
        shown=_shown(result, block.steps),
        labelled=None
        if known is None
        else smallest_unsigned(np.add.reduceat(known, block.starts[:-1])),
        known=known,
    )


def _shown(result: BlockResult, steps: int) -> NDArray[np.float32] | None:
    """What strategies show, a line for each number; NaN where one does not after all."""
    wanted = result.names.shown
    if not wanted:
        return None
    shown = np.full((len(wanted), steps), np.nan, np.float32)
    for strategy, thing in dict.fromkeys((one.strategy, one.thing) for one in wanted):
        lines, found = result.names.lines_of(thing)[strategy], result.shown[strategy].get(thing)
        if found is not None:
            by_parts = found if found.ndim == 2 else found[:, None]
            if by_parts.shape != (steps, len(lines)):
                raise MacroError(
                    f"the strategy '{strategy}' shows '{thing}' as {found.shape}, where "
                    f"{steps} steps by {len(lines)} parts are expected; see Strategy.parts"
                )
            shown[lines] = by_parts.T
    return shown
