"""The experiment on videos as tables and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from macro_engine.core.format import count_text
from macro_engine.experiments import breakfast
from macro_engine.experiments.breakfast import HISTORY, LEARNER, LOOK_AHEAD, Results
from macro_engine.experiments.cells import Cells, Group, Verdict
from macro_engine.experiments.claims import (
    ALWAYS_REDUCED,
    on_cost,
    on_lengths,
    on_reduction,
    on_strategies,
)
from macro_engine.experiments.outcome import Outcome
from macro_engine.experiments.paper_figures import VIDEOS
from macro_engine.experiments.tables import (
    LINES,
    ResultTable,
    claim_tables,
    differences_table,
    errors_table,
    lengths_table,
)

SCALED_OTHERWISE = (
    "The paper's features are scaled otherwise, so that its thresholds do not mean the same here; "
    "6, 8 and 9 are added to its grid."
)
_INTERVALS = "± half of the 95 % interval: 2,000 draws of persons"


def outcome(
    results: Results, distances: Sequence[str], lengths: Sequence[int], skipped: Sequence[str]
) -> Outcome:
    """Everything that is shown and written of the experiment."""
    verdicts = list(_verdicts(results, distances, lengths))
    persons = ", ".join(f"{name} {count}" for name, count in results.persons.items())
    return Outcome(
        "breakfast",
        breakfast.NAME,
        results.cells,
        verdicts,
        results.compared,
        list(_tables(results, distances, lengths)),
        claim_tables(results.cells.places, verdicts),
        [
            LOOK_AHEAD,
            LINES,
            *([SCALED_OTHERWISE] if "frames" in distances else []),
            f"Persons: {persons}. Errors by frame, averaged over persons.",
            *_rejected(results),
            *(f"Skipped: {reason}" for reason in skipped),
        ],
        {
            "activities": list(results.cells.places),
            "distances": list(distances),
            "learner": LEARNER,
            "history": HISTORY,
            "lengths": list(lengths) if "frames" in distances else [],
            "persons": dict(results.persons),
        },
        results.failed,
        {"skipped": list(skipped)},
    )


def _rejected(results: Results) -> Iterator[str]:
    """The rejected frames of each person's videos."""
    of_persons: dict[tuple[str, str], int] = {}
    for group, persons in results.runs.items():
        for person, values in persons.items():
            of_persons[person, group.place] = sum(value["rejected"] for value in values)
    for (person, activity), count in of_persons.items():
        if count:
            yield f"{person}, {activity}: {count_text(count, 'frame')} rejected."


def _tables(
    results: Results, distances: Sequence[str], lengths: Sequence[int]
) -> Iterator[ResultTable]:
    for distance in distances:
        group = Group("", distance, LEARNER, None, HISTORY)
        title = (
            f"{distance.capitalize()} distance, G-NB (nearest-mean), H = 5: error in %, ours/paper"
        )
        yield errors_table(results.cells, group, VIDEOS[distance, LEARNER], title)
    if "frames" in distances and len(lengths) > 1:
        yield lengths_table(results.cells, "frames", LEARNER, lengths)
    for distance in distances:
        group = Group("", distance, LEARNER, None, HISTORY)
        yield differences_table(results.cells.places, results.compared, group, _INTERVALS)


def _verdicts(
    results: Results, distances: Sequence[str], lengths: Sequence[int]
) -> Iterator[Verdict]:
    main = Cells(results.cells.places)
    for cell in results.cells:
        if cell.group.history == HISTORY:
            main.add(cell)
    yield from on_strategies(main, ALWAYS_REDUCED)
    for distance in distances:
        places = [Group(p, distance, LEARNER, None, HISTORY) for p in main.places]
        yield from on_reduction(main, places)
    if "frames" in distances and len(lengths) > 1:
        yield from on_lengths(results.cells, "frames", lengths)
    for group, persons in results.runs.items():
        if group.history == HISTORY:
            members = [m for values in persons.values() for v in values for m in v["members"]]
            yield from on_cost(group, members)
