"""`macro-tui reproduce theory`: checks the paper's theorems on synthetic processes."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from macro_engine.core.errors import UsageError

if TYPE_CHECKING:
    from macro_engine.experiments.theory import Claim, TheoryCell
    from macro_engine.work.tasks import Done, Failed, Task

    RunTasks = Callable[[list[Task]], Sequence[Done | Failed]]

_WIDTH = 100


def add_theory_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--steps", type=int, default=4000, metavar="N", help="steps of each run; default 4000"
    )
    parser.add_argument(
        "--seeds", type=int, default=4, metavar="N", help="runs of each setting; default 4"
    )


def run_theory(arguments: argparse.Namespace, done: RunTasks) -> Sequence[Done | Failed]:
    """Does the runs by `done` and prints tables and claims, or one document."""
    from macro_engine.experiments import theory
    from macro_engine.experiments.theory_runs import PARTS

    if arguments.steps < 2 * PARTS:
        raise UsageError(f"--steps {arguments.steps}: write {2 * PARTS} or more")
    if arguments.seeds < 1:
        raise UsageError(f"--seeds {arguments.seeds}: write 1 or more")
    planned = theory.plan(arguments.steps, arguments.seeds)
    results = done([task for _, tasks in planned for task in tasks])
    cells = theory.gathered(planned, results)
    claims = theory.claims(cells)
    if arguments.json:
        print(json.dumps(theory.document(cells, claims), indent=1, allow_nan=False))
        return results
    print(_table(list(cells.values())))
    print()
    print(_judged(claims))
    print()
    for note in theory.notes():
        print(textwrap.fill(note, _WIDTH))
    held = sum(claim.holds for claim in claims)
    print(f"\nClaims: {held} of {len(claims)} verdicts say yes.")
    return results


def _table(cells: Sequence[TheoryCell]) -> str:
    """The excess risk in each eighth of the run, in points, and the number of subroutines."""
    lines = [f"{'excess risk in points, by eighths of the run':58} {'N_n':>7}  eps   eps/2"]
    for cell in cells:
        parts = " ".join(f"{100 * part:4.1f}" for part in cell.excess)
        lines.append(cell.in_words())
        row = f"    {parts}"
        lines.append(
            f"{row:58} {_span(cell.subroutines):>7}  {_span(cell.least):5} {_span(cell.most)}"
        )
    return "\n".join(line.rstrip() for line in lines)


def _span(counts: Sequence[int] | None) -> str:
    if counts is None:
        return ""
    return str(min(counts)) if min(counts) == max(counts) else f"{min(counts)}-{max(counts)}"


def _judged(claims: Sequence[Claim]) -> str:
    lines, before = [], ""
    for claim in claims:
        if claim.claim != before:
            lines.append(f"{claim.claim}: {claim.rule}")
            before = claim.claim
        lines.append(f"  {'yes' if claim.holds else 'no ':3} {claim.value:8.4f}  {claim.where}")
    return "\n".join(lines)
