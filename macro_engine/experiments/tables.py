"""The tables of an experiment as plain data, laid out as in the paper's supplement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from macro_engine.experiments.bootstrap import Difference
from macro_engine.experiments.cells import (
    LAG,
    SQRT,
    THRESHOLD,
    Cells,
    Compared,
    Group,
    Rate,
    Verdict,
)
from macro_engine.experiments.claims import relative_gain
from macro_engine.experiments.paper_figures import SHORT, PaperTable

_DISTANCES = {"features": "feat", "labels": "lab", "frames": "fram"}
_RIVALS = {
    "marginal": "SR",
    "ewa": "EWA",
    "no_change": "no-change",
    "HoeffdingAdaptiveTreeClassifier": "HAT",
    "LeveragingBaggingClassifier": "LevBag",
    "ARFClassifier": "ARF",
}
LINES = (
    "SR is the learner trained on everything; FTL gain is by how many % of its error FTL lies "
    "below it; no-change names the last label again."
)


@dataclass(frozen=True)
class Entry:
    """An entry of a table: our figure, and the paper's if it has one."""

    ours: str
    paper: str = ""

    @property
    def text(self) -> str:
        return f"{self.ours}/{self.paper}" if self.paper else self.ours


@dataclass(frozen=True)
class TableRow:
    label: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class ResultTable:
    """A title, the names of the columns, and rows; `notes` stand below."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[TableRow, ...]
    notes: tuple[str, ...] = ()


def rate_label(rate: Rate) -> str:
    """
    >>> [rate_label(rate) for rate in ("sqrt", 1.0, 0.05, None)]
    ['sqrt', '1', '.05', '']
    """
    if rate is None or isinstance(rate, str):
        return rate or ""
    return f"{rate:g}".removeprefix("0")


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def errors_table(cells: Cells, group: Group, paper: PaperTable | None, title: str) -> ResultTable:
    """Errors of one learner and distance in %, every place a column, as the paper prints them."""
    name = SHORT.get(str(group.learner), str(group.learner))
    wanted: list[tuple[str, str, float | None]] = [
        (f"{name}-SR", "marginal", None),
        (f"{name}-FTL", "ftl", None),
        (f"{name}-EWA", "ewa", None),
    ]
    grid = sorted({t for place in cells.places for t in cells.thresholds(group.elsewhere(place))})
    wanted += [(f"eps {t:g}".replace("eps 0.", "eps ."), THRESHOLD, t) for t in grid]
    rows = [_errors_row(cells, group, *one) for one in wanted]
    rows.append(_gains_row(cells, group, paper))
    beside = [("blend", "blend", None), ("no-change", "no_change", None), (LAG, LAG, None)]
    rows += [_errors_row(cells, group, *one) for one in beside]
    return ResultTable(title, tuple(cells.places), _present(rows))


def _errors_row(
    cells: Cells,
    group: Group,
    label: str,
    series: str,
    threshold: float | None,
    with_paper: bool = True,
) -> TableRow:
    entries = []
    for place in cells.places:
        cell = cells.cell(group.elsewhere(place), series, threshold)
        has_paper = with_paper and cell is not None and cell.paper is not None
        paper = f"{cell.paper:.1f}" if has_paper and cell is not None else ""
        entries.append(Entry(percent(None if cell is None else cell.error), paper))
    return TableRow(label, tuple(entries))


def _gains_row(cells: Cells, group: Group, paper: PaperTable | None) -> TableRow:
    """By how many % FTL is below the marginal baseline, here and in the paper."""
    entries = []
    for place in cells.places:
        gain = relative_gain(cells, group.elsewhere(place))
        theirs = ""
        if paper is not None and place in paper.places:
            marginal, ftl = paper.error(place, "marginal"), paper.error(place, "ftl")
            if marginal and ftl is not None:
                theirs = f"{100 * (marginal - ftl) / marginal:.1f}"
        entries.append(Entry("-" if gain is None else f"{gain:.1f}", theirs))
    return TableRow("FTL gain", tuple(entries))


def steps_table(cells: Cells, distance: str, rates: Sequence[Rate]) -> ResultTable:
    """The printed update, a constant step and the falling one, for MACRO and the baseline."""
    rows = []
    for rate in rates:
        group = Group("", distance, "logistic", rate, 1)
        for label, series in (("SR", "marginal"), ("FTL", "ftl"), ("EWA", "ewa"), (LAG, LAG)):
            named = f"{label} {rate_label(rate)}"
            rows.append(_errors_row(cells, group, named, series, None, with_paper=False))
    title = f"Steps of logistic, {distance} distance: error in %"
    notes = (
        "1 is the update as the paper prints it, sqrt a step of 1/sqrt(t), which is ours; MACRO "
        "and the baseline have the same step in each block of lines",
    )
    return ResultTable(title, tuple(cells.places), _present(rows), notes)


def lengths_table(cells: Cells, distance: str, learner: str, lengths: Sequence[int]) -> ResultTable:
    """FTL's error by the length of the history."""
    rows = [
        _errors_row(cells, Group("", distance, learner, None, length), f"H = {length}", "ftl", None)
        for length in lengths
    ]
    title = f"FTL by length of history, {distance} distance: error in %"
    return ResultTable(title, tuple(cells.places), _present(rows))


def differences_table(
    places: Sequence[str], compared: Sequence[Compared], group: Group, how: str
) -> ResultTable:
    """FTL's error minus that of each rival, in points."""
    found = {
        (one.group.place, one.rival): one.difference
        for one in compared
        if one.group.elsewhere("") == group.elsewhere("")
    }
    rows = []
    for rival in dict.fromkeys(rival for _, rival in found):
        entries = []
        for place in places:
            one = found.get((place, rival))
            entries.append(Entry("-" if one is None else _with_interval(one)))
        rows.append(TableRow(_rival_label(rival), tuple(entries)))
    name = SHORT.get(str(group.learner), str(group.learner))
    title = (
        f"FTL minus each rival in points, {group.distance} distance, {name}; below 0: FTL better"
    )
    return ResultTable(title, tuple(places), tuple(rows), (how,))


def _with_interval(one: Difference) -> str:
    """
    >>> [_with_interval(d) for d in (Difference(-0.081, -0.12, -0.04), Difference(0.1, None, None))]
    ['-8.10±4.00', '+10.00']
    """
    text = f"{100 * one.value:+.2f}"
    if one.low is None or one.high is None:
        return text
    return f"{text}±{50 * (one.high - one.low):.2f}".replace("±0.", "±.")


def _rival_label(rival: str) -> str:
    """
    >>> _rival_label("marginal, step 0.05"), _rival_label("ARFClassifier")
    ('SR .05', 'ARF')
    """
    name, _, step = rival.partition(", step ")
    if step:
        return f"{_RIVALS[name]} {rate_label(float(step))}"
    return _RIVALS.get(rival, rival)


def claim_tables(places: Sequence[str], verdicts: Sequence[Verdict]) -> list[ResultTable]:
    """A table for each claim: a row a distance, learner and step, a column a place."""
    tables = []
    for claim in dict.fromkeys(one.claim for one in verdicts):
        those = [one for one in verdicts if one.claim == claim]
        holds = sum(one.holds for one in those)
        title = f"{claim}: holds {holds} of {len(those)}  ({those[0].rule})"
        columns = list(places) if {one.where for one in those} <= {*places} else ["anywhere"]
        rows = []
        for key in dict.fromkeys((one.distance, one.learner, one.rate) for one in those):
            here = [one for one in those if (one.distance, one.learner, one.rate) == key]
            by_place = {one.where: one for one in here}
            entries = [
                _verdict_entry(by_place.get(name) if columns != ["anywhere"] else here[0])
                for name in columns
            ]
            rows.append(TableRow(_key_label(*key), tuple(entries)))
        tables.append(ResultTable(title, tuple(columns), tuple(rows)))
    return tables


def _verdict_entry(one: Verdict | None) -> Entry:
    if one is None:
        return Entry("-")
    return Entry(f"{'yes' if one.holds else 'no'} {one.value:.2f}")


def _key_label(distance: str | None, learner: str | None, rate: Rate) -> str:
    name = SHORT.get(str(learner), str(learner))
    step = rate_label(rate) if rate not in (None, SQRT) else name
    return f"{_DISTANCES.get(str(distance), str(distance))} {step}"


def peers_table(
    cells: Cells, microseconds: Sequence[tuple[str, Sequence[float | None]]]
) -> ResultTable | None:
    """River's classifiers: their errors, and what a row cost them."""
    rows = []
    for peer, times in microseconds:
        rows.append(_errors_row(cells, Group("", None, None), _RIVALS[peer], peer, None))
        entries = tuple(Entry("-" if t is None else f"{t:.0f}") for t in times)
        rows.append(TableRow("  us a row", entries))
    if not rows:
        return None
    names = ", ".join(f"{short} {name}" for name, short in _RIVALS.items() if len(name) > 10)
    title = "River's classifiers over everything: error in %, CPU time a row"
    return ResultTable(title, tuple(cells.places), tuple(rows), (names,))


def _present(rows: Sequence[TableRow]) -> tuple[TableRow, ...]:
    """Those with a figure in them."""
    return tuple(row for row in rows if any(entry.ours != "-" for entry in row.entries))
