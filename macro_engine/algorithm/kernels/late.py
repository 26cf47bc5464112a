"""Kernels for whole steps with late labels: steps open while earlier ones are completed.

As in `steps`, a kernel serves one distance and one learner, whose parts are inlined into it.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from macro_engine.algorithm.kernels import features, frames, labels, logistic, nearest_mean
from macro_engine.algorithm.kernels.steps import (
    choose,
    find_nearest,
    has_room,
    largest_born,
    record_nearest,
    set_limits,
)
from macro_engine.core.compiling import borrowing, inlined

_DISTANCES = {"features": features, "labels": labels, "frames": frames}
_LEARNERS = {"logistic": logistic, "nearest-mean": nearest_mean}


def _kernel(name: str, distance: ModuleType, learner: ModuleType) -> Any:
    has_room_for_reference = distance.has_room_for_reference
    keep_reference = distance.keep_reference
    describe_history = distance.describe_history
    measure_distances, measure_nearest = distance.measure_distances, distance.measure_nearest
    predict, learn = learner.predict, learner.learn

    def run_late(  # type: ignore[no-untyped-def]
        first, stop, exact_from, before, past, fresh, called, settings, references, subroutines,
        bank, present, results,
    ):  # fmt: skip
        """Open steps and complete others in their order; returns the first one not opened.

        Before step s opens, the first `before[s]` of those that are completed here are complete;
        one more number at the end says how many are in all. `past` has the labelled rows of
        completed steps, of which `past_steps` were complete before; `fresh` those that open.
        `called` says who learns: the steps that are completed come first, and some of them may
        be among those that open.
        """
        opened = len(called.starts) - 1 - (len(before) - 1)  # its place in `called`
        for s in range(first, stop + 1):
            while called.done[0] < before[s]:
                c = called.done[0]
                count = called.starts[c + 1] - called.starts[c]
                for q in range(count):
                    k = called.members[called.starts[c] + q]
                    j = called.numbers[called.starts[c] + q]
                    subroutines.updates[k, j] += 1
                    present.learning[q] = subroutines.place[k, j]
                t = past.past_steps + c
                begin, end = past.starts[t], past.starts[t + 1]
                learn(count, past, begin, end, settings, bank, present)
                for i in range(begin, end):
                    past.label_counts[past.labels[i]] += 1
                called.done[0] = c + 1
            if s == stop:
                return s
            t = past.past_steps + called.done[0]
            used = called.starts[opened + s]
            if not has_room(settings, references, subroutines, bank):
                return s
            if used + bank.used[0] + len(settings.thresholds) > len(called.members):
                return s
            for h in range(len(settings.histories)):
                if not has_room_for_reference(h, t, past, settings, references):
                    return s
            set_limits(fresh.step_number + s, settings, present)
            for h in range(len(settings.histories)):
                rows = describe_history(h, t, past, settings, present)
                measure_distances(h, rows, settings, references, subroutines, present)
                born = False
                for k in range(len(settings.thresholds)):
                    if settings.history_of[k] != h:
                        continue
                    while True:
                        find_nearest(k, h, subroutines, present)
                        if s < exact_from or not measure_nearest(
                            k, h, settings, references, subroutines, present
                        ):
                            break
                    if k < len(results.active):
                        record_nearest(k, s, h, subroutines, present, results)
                    choose(k, s, h, settings, references, subroutines, bank, present, results)
                    used = record_step(k, s, h, subroutines, present, results, called, used)
                    born = born or present.born[k]
                if born:
                    r = references.used[h]
                    references.empty[h, r] = rows == 0
                    references.largest[h, r] = largest_born(
                        h, settings, present, len(results.active)
                    )
                    keep_reference(h, r, rows, settings, references, present)
                    references.used[h] += 1
            called.starts[opened + s + 1] = used
            predict(fresh, fresh.starts[s], fresh.starts[s + 1], bank, present, results)
        return stop

    run_late.__qualname__ = name  # under which it is kept
    return borrowing(run_late)


@inlined
def record_step(k, s, h, subroutines, present, results, called, used):  # type: ignore[no-untyped-def]
    """Records which subroutines of a member predict a step, and which will learn it.

    Returns the number recorded so far.
    """
    present.predicting[k] = subroutines.place[k, present.chosen[k]]
    noted = used
    if present.born[k] or present.forced[k]:
        called.members[used], called.numbers[used] = k, present.chosen[k]
        used += 1
    else:
        distances = present.distances[h]
        for j in range(subroutines.used[k]):
            if distances[subroutines.reference[k, j]] <= present.limits[k]:
                called.members[used], called.numbers[used] = k, j
                used += 1
    if k < len(results.active):
        results.close[k, s] = 0 if present.forced[k] else used - noted
    return used


RUN_LATE = {
    (distance, learner): _kernel(
        f"late_{distance}_{learner}", _DISTANCES[distance], _LEARNERS[learner]
    )
    for distance in _DISTANCES
    for learner in _LEARNERS
}
