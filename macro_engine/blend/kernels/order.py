"""Runs steps in any order of answering, closing and learning."""

from __future__ import annotations

from macro_engine.blend.kernels.arrays import ANSWER, CLOSE, LEARN
from macro_engine.blend.kernels.experts import shares_say
from macro_engine.blend.kernels.steps import answer_row, close, learn
from macro_engine.core.compiling import borrowing


@borrowing
def run_in_order(doing, which, given, constants, parts, record, scratch, shown):  # type: ignore[no-untyped-def]
    """Answers, closes or learns the given steps one after the other.

    A step that is answered, closed and learned at once leaves no record beyond itself. Others are
    recorded row by row. `shown` is told of each step that is answered, where there is room.
    """
    told = 0
    for o in range(len(doing)):
        do, s = doing[o], which[o]
        at_once = do == ANSWER + CLOSE + LEARN
        begin, end = given.starts[s], given.starts[s + 1]
        base = begin if at_once else 0
        scratch.losses.fill(0.0)
        scratch.member_losses.fill(0.0)
        scratch.pulls.fill(0.0)
        tells = do & ANSWER != 0 and told < len(shown.weights)
        if tells:
            for k in range(len(parts.shares)):
                shown.weights[told, k] = parts.shares[k]
        if do & ANSWER:
            shares_say(parts.class_shares, scratch.shares)
            for i in range(begin, end):
                answer_row(i, i - base, begin, at_once, given, constants, parts, record, scratch)
        if do & CLOSE:
            if not at_once:
                scratch.pulls.fill(0.0)  # which are recorded
            close(begin, end, at_once, given, parts, record, scratch)
        if do & LEARN:
            # nothing has changed since the answer to the first row: what was said still holds
            fresh = at_once
            learn(begin, end, base, at_once, fresh, given, constants, parts, record, scratch)
        if tells:
            for e in range(len(parts.pulls)):
                shown.pulls[told, e] = parts.pulls[e]
            told += 1
