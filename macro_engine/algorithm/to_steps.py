"""What everyone said in a block, as `Steps`."""

from __future__ import annotations

import numpy as np

from macro_engine.algorithm.outcome import Outcome
from macro_engine.core.narrow import narrow, small
from macro_engine.core.rows import Block
from macro_engine.core.steps import Steps, Totals, changes, piece_starts
from macro_engine.strategies import LEADER


def to_steps(block: Block, outcome: Outcome, before: Totals) -> Steps:
    """The steps of a block, given the totals before it."""
    family, nobody = outcome.family, np.zeros(block.steps, np.uint8)
    lengths = small(np.diff(block.starts))
    listed = changes(family.active)
    listed[:, piece_starts(lengths)] = True
    steps, members = listed.T.nonzero()
    return Steps(
        first_step=block.first_step,
        first_row=block.first_row,
        before=before,
        lengths=lengths,
        late=nobody if block.late is None else small(block.late),
        rejected=nobody if block.rejected is None else small(block.rejected),
        wrong=small(outcome.wrong),
        active=small(family.active),
        subroutines=small(family.subroutines),
        born=family.born,
        close=small(family.close),
        distance=family.distance,
        listed=listed,
        nearest=small(family.nearest[members, steps]),
        distances=narrow(family.nearest_distances[members, steps]),
        times=block.times,
        labels=small(block.rows.labels),
        predictions=outcome.predictions,
        leaders=small(outcome.shown["ftl"][LEADER]) if "ftl" in outcome.shown else None,
        probabilities=outcome.probabilities,
    )
