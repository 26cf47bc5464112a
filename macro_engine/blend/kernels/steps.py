"""Whole steps: answers, and what is learnt from their labels."""

from __future__ import annotations

import math

from macro_engine.blend.kernels.arithmetic import take_logs, update_shares
from macro_engine.blend.kernels.arrays import ANSWER, CLOSE, LEARN
from macro_engine.blend.kernels.compiling import borrowing, inlined
from macro_engine.blend.kernels.experts import (
    by_class,
    counts_learn,
    family_say,
    linear_count,
    linear_learn,
    linear_say,
    say_step,
)
from macro_engine.blend.kernels.filters import filter_learn, filter_say
from macro_engine.blend.kernels.tiles import find_cells, tiles_learn, tiles_say
from macro_engine.blend.persistence import NO_LABEL
from macro_engine.blend.pull import STEPS
from macro_engine.blend.share import ALPHA

_MARGINAL, _LINEAR, _SHARES, _PERSISTENCE, _FAMILY = range(5)


@borrowing
def run_steps(doing, given, rules, parts, record, scratch, shown):  # type: ignore[no-untyped-def]
    """Answer, close or learn the steps of a block, or do all three with one after the other.

    Steps that are only answered or only learnt are recorded row by row; else the record holds one
    step at a time, and `shown` what each of them tells.
    """
    at_once = doing == ANSWER + CLOSE + LEARN
    for s in range(len(given.starts) - 1):
        begin, end = given.starts[s], given.starts[s + 1]
        base = begin if at_once else 0
        if at_once:
            for k in range(len(parts.shares)):
                shown.weights[s, k] = parts.shares[k]
            for k in range(len(scratch.losses)):
                scratch.losses[k] = 0.0
            for k in range(len(scratch.member_losses)):
                scratch.member_losses[k] = 0.0
            for e in range(len(scratch.pulls)):
                scratch.pulls[e] = 0.0
        if doing & ANSWER:
            record.last[0] = parts.last[0]
            say_step(parts, scratch.shares)
            for i in range(begin, end):
                answer_row(i, i - base, at_once, given, rules, parts, record, scratch)
        if doing & CLOSE:
            close(begin, end, base, at_once, given, parts, record, scratch)
        if doing & LEARN:
            learn(begin, end, base, at_once, given, rules, parts, record, scratch)
        if at_once:
            for e in range(len(parts.pulls)):
                shown.pulls[s, e] = parts.pulls[e]


@inlined
def answer_row(i, r, at_once, given, rules, parts, record, scratch):  # type: ignore[no-untyped-def]
    kept = 0 if at_once else r
    p = record.experts[kept]
    experts, classes = p.shape
    linear_say(i, given, parts, scratch.linear)
    by_class(scratch.linear, p[_LINEAR])
    for c in range(classes):
        p[_MARGINAL, c] = given.marginal[i, c]
        p[_SHARES, c] = scratch.shares[0, c]
        p[_PERSISTENCE, c] = scratch.shares[1, c]
    if len(parts.members):
        family_say(i, given, parts, p[_FAMILY])
    find_cells(i, r, given, rules, record.cells)
    tiles_say(r, record.cells, parts, scratch.margins, scratch.said)
    for g in range(rules.expert.shape[0]):
        for v in range(rules.expert.shape[1]):
            if rules.expert[g, v] >= 0:
                by_class(scratch.said[g, v], p[rules.expert[g, v]])
    take_logs(r, p, record.logs)
    for f in range(2):
        filter_say(f, r, record.logs, parts.filters, record.filtered[kept, f])
    slow, fast = parts.shares[experts], parts.shares[experts + 1]
    best = 0
    for c in range(classes):
        q = slow * record.filtered[kept, 0, c] + fast * record.filtered[kept, 1, c]
        for e in range(experts):
            q += parts.shares[e] * p[e, c]
        record.probabilities[i, c] = q
        if q > record.probabilities[i, best]:
            best = c
    line = 0 if classes == 2 else best
    for e in range(experts):
        log = record.logs[r, line, e]
        pull = slow * abs(parts.filters[0, e] * log) + fast * abs(parts.filters[1, e] * log)
        record.pulls[kept, e] = pull / (slow + fast)
    if at_once:
        for e in range(experts):
            scratch.pulls[e] += record.pulls[kept, e]
        if given.labels[i] != NO_LABEL:
            add_losses(i, kept, given, record, scratch)


@inlined
def add_losses(i, kept, given, record, scratch):  # type: ignore[no-untyped-def]
    """Add what each forecaster gave the label of row i."""
    label, experts = given.labels[i], record.experts.shape[1]
    for k in range(len(scratch.member_losses)):
        scratch.member_losses[k] += math.log(max(given.members[k, i, label], 1e-6))
    for e in range(experts):
        scratch.losses[e] += math.log(max(record.experts[kept, e, label], 1e-6))
    for f in range(2):
        scratch.losses[experts + f] += math.log(max(record.filtered[kept, f, label], 1e-6))


@inlined
def close(begin, end, base, at_once, given, parts, record, scratch):  # type: ignore[no-untyped-def]
    for i in range(begin, end):
        linear_count(i, given, parts)
    if end > begin:
        parts.steps[0] += 1
        for e in range(len(parts.pulls)):
            if not at_once:
                scratch.pulls[e] = 0.0
                for i in range(begin, end):
                    scratch.pulls[e] += record.pulls[i - base, e]
            mean = parts.pulls[e]
            fresh = scratch.pulls[e] / (end - begin)
            parts.pulls[e] = mean + (fresh - mean) / min(parts.steps[0], STEPS)


@inlined
def learn(begin, end, base, at_once, given, rules, parts, record, scratch):  # type: ignore[no-untyped-def]
    labelled, last = 0, NO_LABEL
    for i in range(begin, end):
        if given.labels[i] != NO_LABEL:
            labelled += 1
            last = given.labels[i]
            if not at_once:
                if labelled == 1:
                    for k in range(len(scratch.losses)):
                        scratch.losses[k] = 0.0
                    for k in range(len(scratch.member_losses)):
                        scratch.member_losses[k] = 0.0
                add_losses(i, i - base, given, record, scratch)
    if labelled > 0:
        update_shares(scratch.member_losses, labelled, rules.member_prior, ALPHA, parts.members)
        update_shares(scratch.losses, labelled, rules.prior, ALPHA, parts.shares)
        # with one row nothing has changed since its answer: what everyone said still holds
        fresh = at_once and end - begin == 1
        for i in range(begin, end):
            if given.labels[i] != NO_LABEL:
                if not at_once:
                    take_logs(i - base, record.experts[i - base], record.logs)
                learn_row(i, i - base, fresh, given, rules, parts, record, scratch)
        parts.last[0] = last


@inlined
def learn_row(i, r, fresh, given, rules, parts, record, scratch):  # type: ignore[no-untyped-def]
    label = given.labels[i]
    for f in range(2):
        q = scratch.q
        if fresh:
            q = record.filtered[0, f]
        else:
            filter_say(f, r, record.logs, parts.filters, scratch.q)
        filter_learn(
            f, r, label, record.logs, parts, rules.noise[f], q, scratch.x, scratch.u, scratch.mean
        )
    if not fresh:
        linear_say(i, given, parts, scratch.linear)
        tiles_say(r, record.cells, parts, scratch.margins, scratch.said)
    linear_learn(i, label, given, parts, scratch.linear)
    tiles_learn(r, label, record.cells, rules, parts, scratch.said, scratch.moves)
    counts_learn(record.last[0], label, parts)
