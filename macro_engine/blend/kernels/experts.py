"""What the experts other than those on tiles say and learn."""

from __future__ import annotations

from macro_engine.blend.kernels.arithmetic import sigmoid
from macro_engine.blend.kernels.compiling import inlined
from macro_engine.blend.persistence import NO_LABEL
from macro_engine.blend.shares import DECAY


@inlined
def say_step(parts, out):  # type: ignore[no-untyped-def]
    """Class shares and persistence, which say the same of every row of a step."""
    classes, last = len(parts.class_shares), parts.last[0]
    total = 0.0
    for c in range(classes):
        total += parts.class_shares[c]
    for c in range(classes):
        out[0, c] = parts.class_shares[c] / total
    if last == NO_LABEL:
        for c in range(classes):
            out[1, c] = 1.0 / classes
    else:
        stays = parts.stays[0] / (parts.stays[0] + parts.stays[1])
        others, seen = 0.0, 0.0
        for c in range(classes):
            seen += parts.followed[last, c]
            if c != last:
                others += parts.counts[c]
        for c in range(classes):
            pool = stays if c == last else (1.0 - stays) * parts.counts[c] / others
            out[1, c] = (parts.followed[last, c] + 2.0 * pool) / (seen + 2.0)


@inlined
def linear_say(i, given, parts, out):  # type: ignore[no-untyped-def]
    """What each model of the linear expert says of row i."""
    for m in range(len(parts.linear_bias)):
        z = parts.linear_bias[m]
        for a in range(given.numbers.shape[1]):
            z += parts.linear_numbers[m, a] * given.numbers[i, a]
        for a in range(given.codes.shape[1]):
            z += parts.linear_codes[a, given.codes[i, a], m]
        out[m] = sigmoid(z)


@inlined
def by_class(said, out):  # type: ignore[no-untyped-def]
    """The probabilities of the classes, given what each model says."""
    if len(said) == 1:
        out[0] = 1.0 - said[0]
        out[1] = said[0]
    else:
        total = 0.0
        for m in range(len(said)):
            total += said[m]
        for m in range(len(said)):
            out[m] = said[m] / total


@inlined
def family_say(i, given, parts, out):  # type: ignore[no-untyped-def]
    for c in range(len(out)):
        total = 0.0
        for k in range(len(parts.members)):
            total += parts.members[k] * given.members[k, i, c]
        out[c] = total


@inlined
def linear_count(i, given, parts):  # type: ignore[no-untyped-def]
    length = 1.0 + given.codes.shape[1]
    for a in range(given.numbers.shape[1]):
        length += given.numbers[i, a] * given.numbers[i, a]
    parts.lengths[0] += length
    parts.rows[0] += 1


@inlined
def linear_learn(i, label, given, parts, said):  # type: ignore[no-untyped-def]
    rate = parts.rows[0] / parts.lengths[0]
    models = len(said)
    for m in range(models):
        target = 1.0 if label == (1 if models == 1 else m) else 0.0
        step = rate * (said[m] - target)
        parts.linear_bias[m] -= step
        for a in range(given.numbers.shape[1]):
            parts.linear_numbers[m, a] -= step * given.numbers[i, a]
        for a in range(given.codes.shape[1]):
            parts.linear_codes[a, given.codes[i, a], m] -= step


@inlined
def counts_learn(last, label, parts):  # type: ignore[no-untyped-def]
    """Class shares and persistence learn a row."""
    classes = len(parts.class_shares)
    least = 1e-3 / classes
    for c in range(classes):
        parts.class_shares[c] = max(parts.class_shares[c] * DECAY, least)
    parts.class_shares[label] += 1.0
    parts.counts[label] += 1.0
    if last != NO_LABEL:
        parts.followed[last, label] += 1.0
        parts.stays[0 if label == last else 1] += 1.0
