"""Metrics and confusions as tables of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from macro_engine.core.escape import visible
from macro_engine.run.view import METRICS, Confusion, Metric

UNDEFINED = "-"
_MOST_CLASSES = 6  # of which all pairs are shown
_MOST_PAIRS = 8
_NAME = 14  # characters of a class


def metric_text(metric: Metric, value: float | None) -> str:
    """
    >>> metric_text(METRICS["f1"], 0.5), metric_text(METRICS["logloss"], 0.25)
    ('50.0%', '0.250')
    """
    if value is None:
        return UNDEFINED
    return f"{value:.1%}" if metric.is_share else f"{value:.3f}"


def metric_title(metric: Metric, of: str) -> str:
    """With the class where it is of one.

    >>> metric_title(METRICS["recall"], "late"), metric_title(METRICS["balanced"], "late")
    ("recall of 'late'", 'balanced accuracy')
    """
    return f"{metric.title} of '{visible(of, 20)}'" if metric.is_of_class else metric.title


def lead_in_words(metric: Metric, value: float, baseline: float) -> str:
    """Describes a value relative to the baseline's; the metric says whether lower is better.

    >>> lead_in_words(METRICS["recall"], 0.52, 0.5), lead_in_words(METRICS["logloss"], 0.52, 0.5)
    ('2.0 points better than', '0.020 worse than')
    """
    lead = value - baseline if metric.higher_is_better else baseline - value
    size = f"{100 * abs(lead):.1f} points" if metric.is_share else f"{abs(lead):.3f}"
    if not float(size.split()[0]):
        return "level with"
    return f"{size} {'better' if lead > 0 else 'worse'} than"


def metric_lines(
    values: Mapping[str, Mapping[str, float | None]], titles: Mapping[str, str]
) -> list[list[str]]:
    """A line for each series: how it is written, then each metric."""
    return [
        [title, *(metric_text(metric, values[name][key]) for key, metric in METRICS.items())]
        for name, title in titles.items()
        if name in values
    ]


def confusion_table(confusion: Confusion, classes: Sequence[str]) -> list[list[str]]:
    """Rows by label and prediction, under a heading; the worst pairs where classes are many."""
    names = [visible(name, _NAME) for name in classes]
    if len(names) <= _MOST_CLASSES:
        heading = ["label", *(f"predicted {name}" for name in names)]
        lines = zip(names, confusion.rows, strict=True)
        return [heading, *([name, *(f"{count:,}" for count in line)] for name, line in lines)]
    pairs = [
        (count, names[a], names[b])
        for a, line in enumerate(confusion.rows)
        for b, count in enumerate(line)
        if a != b and count
    ]
    worst = sorted(pairs, key=lambda pair: -pair[0])[:_MOST_PAIRS]
    return [["label", "taken for", "rows"], *([a, b, f"{count:,}"] for count, a, b in worst)]
