"""Prints the summary of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from macro_engine.core.escape import visible
from macro_engine.core.format import count_text, series_title
from macro_engine.core.names import strategies_of
from macro_engine.run.view import (
    METRICS,
    Earner,
    LeadSummary,
    Metric,
    MetricSummary,
    Summary,
    macro_of,
)
from macro_tui.view.metric_tables import (
    confusion_table,
    lead_in_words,
    metric_lines,
    metric_text,
    metric_title,
)

_MANY_REFERENCES = 1000
_LONGEST_NOTE = 400  # characters
_NAMED = 3  # subroutines that earned most
_NAMES = {"marginal": "marginal baseline", "no_change": "no-change"}


def print_summary(summary: Summary, console: Console) -> None:
    """Prints the run in numbers and words, as far as it came."""

    def say(text: str) -> None:
        console.print(Text(text))

    settings = summary.settings
    names = ", ".join(map(visible, summary.inputs))
    say(
        f"{names}: {summary.rows:,} rows in {summary.steps:,} steps, {len(summary.classes)} classes"
    )
    if summary.stopped_at is not None:
        share = min(summary.stopped_at, 0.999)  # all of it is not stopped
        say(f"stopped at {share:.1%} of the recording: what follows is of that part alone")
    used = ", ".join(
        f"{name} {_listed(settings.get(name))}" for name in ("distance", "history", "subroutine")
    )
    say(f"{used}; {summary.seconds:.1f} s on the {visible(summary.path)} path")
    say(
        f"{summary.references:,} distinct references; distances took about "
        f"{summary.distance_share:.0%} of the time"
    )
    console.print(_table(summary))
    if summary.judged is not None:
        _print_metrics(summary, summary.judged, console)
    if summary.confusion is not None:
        say(f"labels, and what {_name(summary.confusion.strategy)} predicted:")
        console.print(_lined(confusion_table(summary.confusion, summary.titles)))
    metric = METRICS.get(summary.settings.get("metric", ""), METRICS["error"])
    if summary.judged is not None and metric.name != "error":
        of = summary.title_of(summary.judged.of)
        for name in _judged(summary):
            say(_verdict_by(metric, summary.judged, name, of))
    for name in _judged(summary):  # what is said of luck and origin is of errors
        say(_verdict(summary.errors[name], summary.errors["marginal"], _name(name)))
        if summary.lead is not None and summary.lead.strategy == name:
            for line in _origin(summary, summary.lead):
                say(line)
    _say_what_went_wrong(summary, say)


def _origin(summary: Summary, lead: LeadSummary) -> Iterator[str]:
    """Whether the lead is more than luck, which situations earned it, and how much they learned."""
    between = f"{lead.low:+z.2f} to {lead.high:+z.2f} points a step"
    if lead.standing == "early":
        yield f"That may be luck: too early to tell ({summary.rows:,} rows; {between})."
    if lead.standing == "level":
        yield f"Level: within half a point of the baseline ({between})."
    earners, total = _earners(lead)
    if earners:
        names = " and ".join(
            f"#{one.number}" + (f" ({one.situation})" if one.situation else "") for one in earners
        )
        share = sum(one.points for one in earners) / total
        rows = sum(one.rows for one in earners)
        what = "lead" if total > 0 else "loss"
        yield f"{share:.0%} of the {what} comes from {names} at {lead.member}, {rows:.0%} of rows."
    member = next((m for m in summary.members if m.name == lead.member), None)
    if member is not None and member.used:
        learned = count_text(member.least_learned or 0, "step")
        used = count_text(member.used, "subroutine")
        yield f"At {member.name} {used} predicted; the one that learned least learned in {learned}."


def _earners(lead: LeadSummary) -> tuple[list[Earner], float]:
    """The few that earned most of a lead, or cost most of a loss, and the points of all."""
    sign = 1 if lead.points > 0 else -1
    order = sorted(lead.earners, key=lambda one: -sign * one.points)[:_NAMED]
    order = [one for one in order if sign * one.points > 0]
    while len(order) > 1 and sum(sign * e.points for e in order[:-1]) >= 0.8 * abs(lead.points):
        order.pop()
    is_clear = lead.standing in ("better", "worse")
    return (order if is_clear else []), lead.points  # a share of luck, or of nothing, says nothing


def _judged(summary: Summary) -> list[str]:
    """MACRO, and then whose prediction it is, if that is another."""
    errors, chosen = summary.errors, str(summary.settings.get("strategy"))
    if "marginal" not in errors:
        return []
    names = macro_of(chosen, strategies_of(errors)), chosen
    return [name for name in dict.fromkeys(names) if name in errors]


def _listed(value: Any) -> str:
    """A setting, or several values of it."""
    return visible(" and ".join(map(str, value)) if isinstance(value, list) else value)


def _table(summary: Summary) -> Table:
    """A line for each series, then for each member of the grid."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("")
    for heading in ("error", "against marginal", "subroutines"):
        table.add_column(heading, justify="right")
    errors = summary.errors
    baseline = errors.get("marginal", 0.0)
    for name in _in_order(errors):
        table.add_row(_name(name), f"{errors[name]:.2%}", _lead(errors[name], baseline), "")
    for member in summary.members:
        table.add_row(
            f"threshold {member.name}",
            f"{member.error:.2%}",
            _lead(member.error, baseline),
            f"{member.subroutines:,}",
        )
    return table


def _print_metrics(summary: Summary, judged: MetricSummary, console: Console) -> None:
    """Every metric of every series: over the whole run, and of late."""
    titles = {name: _name(name) for name in _in_order(summary.errors)}
    headings = [metric.title for metric in METRICS.values()]
    for when, values in {
        "since the start": judged.all,
        f"last {count_text(judged.recent_steps, 'step')}": judged.recent,
    }.items():
        console.print(_lined([[when, *headings], *metric_lines(values, titles)]))
    of = visible(summary.title_of(judged.of), 60)
    console.print(Text(f"precision, recall and F1 are of class '{of}'"))
    if all(values["logloss"] is None for values in judged.all.values()):
        console.print(Text("no probabilities were computed; --metric logloss has them computed"))


def _in_order(series: Iterable[str]) -> list[str]:
    """The strategies, then the baselines."""
    return sorted(series, key=lambda name: name in _NAMES)


def _lined(lines: Sequence[Sequence[str]]) -> Table:
    """Lines under a heading."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for i, heading in enumerate(lines[0]):
        table.add_column(Text(heading), justify="right" if i else "left")
    for line in lines[1:]:
        table.add_row(*map(Text, line))
    return table


def _name(series: str) -> str:
    return _NAMES.get(series) or series_title(series)


def _say_what_went_wrong(summary: Summary, say: Callable[[str], None]) -> None:
    if summary.rejected:
        _say_what_was_rejected(summary, say)
    if summary.late:
        say(f"{summary.late:,} rows came late")
        if summary.late > summary.rows / 2:
            say("most rows came late: is the file sorted with the newest row first?")
    if summary.held:
        say(f"{summary.held:,} rows are held aside because they lie far ahead (--ahead)")
    for line in summary.notes:
        say(visible(line, _LONGEST_NOTE))
    present = [name for name, n in zip(summary.classes, summary.labels, strict=False) if n]
    if len(present) == 1:
        say(f"every row has the label '{visible(present[0])}': there was nothing to tell apart")
    if summary.references >= _MANY_REFERENCES and summary.distance_share > 0.5:
        say(
            "with so many references a step takes time in proportion to their number: larger "
            "--thresholds, a longer --history or --max-subroutines keep it down"
        )
    if summary.unanswered:
        say(
            f"{summary.unanswered:,} predictions were missing: the model gave no answer and the "
            "first class stood in"
        )


def _say_what_was_rejected(summary: Summary, say: Callable[[str], None]) -> None:
    say(f"{summary.rejected:,} rows rejected:")
    for reason in summary.reasons:
        where = f"column '{visible(reason.column)}' " if reason.column is not None else ""
        more = ", ..." if reason.count > len(reason.lines) else ""
        shown = ", ".join(map(str, reason.lines)) + more
        at = f" ({visible(reason.unit)} {shown})" if reason.lines else ""
        say(f"  {reason.count:,} x {where}{visible(reason.kind, 200)}{at}")


def _lead(error: float, baseline: float) -> str:
    points = 100 * (error - baseline)
    if baseline == 0:
        return f"{points:+z.2f} points"
    return f"{points:+z.2f} points ({error / baseline - 1:+z.1%})"


def _verdict_by(metric: Metric, judged: MetricSummary, series: str, of: str) -> str:
    own, baseline = (judged.all[name][metric.name] for name in (series, "marginal"))
    title = metric_title(metric, of)
    if own is None or baseline is None:
        return f"{_name(series)}: {title} is undefined, for it or for the marginal baseline."
    lead = lead_in_words(metric, own, baseline)
    return f"{_name(series)}: {title} {metric_text(metric, own)}, {lead} the marginal baseline."


def _verdict(error: float, baseline: float, name: str) -> str:
    points = 100 * (baseline - error)
    if points > 0:
        return f"{name} makes {points:.2f} points fewer errors than the marginal baseline."
    if points < 0:
        return f"{name} makes {-points:.2f} points more errors than the marginal baseline."
    return f"{name} makes as many errors as the marginal baseline."
