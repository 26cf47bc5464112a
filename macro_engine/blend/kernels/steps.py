"""Kernels for whole steps: answers, and learning from their labels."""

from __future__ import annotations

import math

from macro_engine.blend.kernels.arithmetic import take_logs, update_shares
from macro_engine.blend.kernels.arrays import ANSWER, CLOSE, FRESH, LEARN
from macro_engine.blend.kernels.compiling import part
from macro_engine.blend.kernels.experts import (
    by_class,
    linear_learn,
    linear_say,
    shares_learn,
    shares_say,
)
from macro_engine.blend.kernels.filters import filter_learn, filter_say
from macro_engine.blend.kernels.tiles import find_cells, tiles_learn, tiles_say
from macro_engine.blend.pull import STEPS
from macro_engine.blend.shape import NO_LABEL
from macro_engine.core.compiling import borrowing, inlined

_MARGINAL, _LINEAR, _SHARES, _PERSISTENCE, _FAMILY = range(5)


@borrowing
def run_steps(doing, given, constants, parts, record, scratch, shown):  # type: ignore[no-untyped-def]
    """Answer, close or learn the steps of a block, or do all three with one after the other.

    Steps that are only answered or only learned are recorded row by row; else the record holds one
    step at a time, and `shown` what each of them tells.
    """
    at_once = doing == ANSWER + CLOSE + LEARN
    for s in range(len(given.starts) - 1):
        begin, end = given.starts[s], given.starts[s + 1]
        base = begin if at_once else 0
        scratch.losses.fill(0.0)
        scratch.member_losses.fill(0.0)
        scratch.pulls.fill(0.0)
        if at_once:
            for k in range(len(parts.shares)):
                shown.weights[s, k] = parts.shares[k]
        if doing & ANSWER:
            shares_say(parts.class_shares, scratch.shares)
            for i in range(begin, end):
                answer_row(i, i - base, begin, at_once, given, constants, parts, record, scratch)
        if doing & CLOSE:
            close(begin, end, at_once, given, parts, record, scratch)
        if doing & LEARN:
            # nothing has changed since the answer to the first row: what was said still holds
            fresh = at_once or (end - begin == 1 and doing & FRESH != 0)
            learn(begin, end, base, at_once, fresh, given, constants, parts, record, scratch)
        if at_once:
            for e in range(len(parts.pulls)):
                shown.pulls[s, e] = parts.pulls[e]


@inlined
def answer_row(  # type: ignore[no-untyped-def]
    i, r, begin, at_once, given, constants, parts, record, scratch
):
    later = min(i - begin, 1)  # 0 for the first row of a step
    kept = later if at_once else r
    linear, said = scratch.linear[later], scratch.said[later]
    p, logs, filtered = record.experts[kept], record.logs[r], record.filtered[kept]
    experts, classes = p.shape
    linear_say(
        given.numbers[i], given.codes[i], parts.linear_bias, parts.linear_numbers,
        parts.linear_codes, linear,
    )  # fmt: skip
    by_class(linear, p[_LINEAR])
    for c in range(classes):
        p[_MARGINAL, c] = given.marginal[i, c]
        p[_SHARES, c] = scratch.shares[c]
        p[_PERSISTENCE, c] = given.unchanged[i, c]
        if len(parts.members):
            total = 0.0
            for k in range(len(parts.members)):
                total += parts.members[k] * given.members[k, i, c]
            p[_FAMILY, c] = total
    find_cells(
        given.units[i], given.codes[i], constants.depths, constants.columns, constants.bins,
        constants.offsets, constants.addends, parts.tables, scratch.values, record.cells[r],
    )  # fmt: skip
    tiles_say(record.cells[r], constants.rates, parts.biases, parts.tables, scratch.margins, said)
    for g in range(constants.expert.shape[0]):
        for v in range(constants.expert.shape[1]):
            if constants.expert[g, v] >= 0:
                models = len(linear)
                by_class(said[g, v * models : (v + 1) * models], p[constants.expert[g, v]])
    take_logs(p, logs)
    for f in range(2):
        filter_say(logs, parts.filters[f], filtered[f])
    mix(p, filtered, parts.shares, record.probabilities[i])
    best = 0
    for c in range(classes):
        if record.probabilities[i, c] > record.probabilities[i, best]:
            best = c
    slow, fast = parts.shares[experts], parts.shares[experts + 1]
    for e in range(experts):
        log = logs[0 if classes == 2 else best, e]
        pull = slow * abs(parts.filters[0, e] * log) + fast * abs(parts.filters[1, e] * log)
        record.pulls[kept, e] = pull / (slow + fast)
        scratch.pulls[e] += record.pulls[kept, e]
    if given.labels[i] != NO_LABEL:
        add_losses(
            given.labels[i], i, given.members, p, filtered, scratch.member_losses, scratch.losses
        )


@part
def mix(p, filtered, shares, out):  # type: ignore[no-untyped-def]
    """Q: the filters, then the experts, by their shares."""
    experts, classes = p.shape
    for c in range(classes):
        q = shares[experts] * filtered[0, c] + shares[experts + 1] * filtered[1, c]
        for e in range(experts):
            q += shares[e] * p[e, c]
        out[c] = q


@part
def add_losses(  # type: ignore[no-untyped-def]
    label, i, members, p, filtered, member_losses, losses
):
    """Add what each forecaster gave the label of row i."""
    experts = len(p)
    for k in range(len(member_losses)):
        member_losses[k] += math.log(max(members[k, i, label], 1e-6))
    for e in range(experts):
        losses[e] += math.log(max(p[e, label], 1e-6))
    for f in range(2):
        losses[experts + f] += math.log(max(filtered[f, label], 1e-6))


@inlined
def close(begin, end, at_once, given, parts, record, scratch):  # type: ignore[no-untyped-def]
    for i in range(begin, end):
        length = 1.0 + given.codes.shape[1]
        for a in range(given.numbers.shape[1]):
            length += given.numbers[i, a] * given.numbers[i, a]
        parts.lengths[0] += length
        parts.rows[0] += 1
        if not at_once:
            for e in range(len(parts.pulls)):
                scratch.pulls[e] += record.pulls[i, e]
    if end > begin:
        parts.steps[0] += 1
        for e in range(len(parts.pulls)):
            mean = parts.pulls[e]
            fresh = scratch.pulls[e] / (end - begin)
            parts.pulls[e] = mean + (fresh - mean) / min(parts.steps[0], STEPS)


@inlined
def learn(  # type: ignore[no-untyped-def]
    begin, end, base, at_once, fresh, given, constants, parts, record, scratch
):
    labelled = 0
    for i in range(begin, end):
        if given.labels[i] != NO_LABEL:
            labelled += 1
            if not at_once:
                take_logs(record.experts[i - base], record.logs[i - base])
                add_losses(
                    given.labels[i], i, given.members, record.experts[i - base],
                    record.filtered[i - base], scratch.member_losses, scratch.losses,
                )  # fmt: skip
    if labelled > 0:
        update_shares(scratch.member_losses, labelled, constants.member_prior, parts.members)
        update_shares(scratch.losses, labelled, constants.prior, parts.shares)
        rate = parts.rows[0] / parts.lengths[0]
        for i in range(begin, end):
            if given.labels[i] != NO_LABEL:
                learn_row(
                    i,
                    i - base,
                    fresh and i == begin,
                    rate,
                    given,
                    constants,
                    parts,
                    record,
                    scratch,
                )


@inlined
def learn_row(  # type: ignore[no-untyped-def]
    i, r, fresh, rate, given, constants, parts, record, scratch
):
    label = given.labels[i]
    linear, said = scratch.linear[0 if fresh else 1], scratch.said[0 if fresh else 1]
    for f in range(2):
        q = record.filtered[0, f] if fresh else scratch.q
        if not fresh:
            filter_say(record.logs[r], parts.filters[f], q)
        if filter_learn(
            record.logs[r], label, q, constants.noise[f], parts.filters[f], parts.covariances[f],
            scratch.mean, scratch.x, scratch.u,
        ):  # fmt: skip
            parts.restarts[f] += 1
    if not fresh:
        linear_say(
            given.numbers[i], given.codes[i], parts.linear_bias, parts.linear_numbers,
            parts.linear_codes, linear,
        )  # fmt: skip
        tiles_say(
            record.cells[r], constants.rates, parts.biases, parts.tables, scratch.margins, said
        )
    linear_learn(
        given.numbers[i], given.codes[i], label, rate, linear, parts.linear_bias,
        parts.linear_numbers, parts.linear_codes,
    )  # fmt: skip
    tiles_learn(
        record.cells[r], label, said, constants.rates, parts.biases, parts.tables,
        parts.changed, scratch.moves,
    )  # fmt: skip
    shares_learn(parts.class_shares, label)
