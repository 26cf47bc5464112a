"""The options of a run in words, apart from how they are read.

Whoever only shows them need not load what reads them: a screen is painted before that.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Description:
    """What one option is called, takes and means."""

    name: str
    metavar: str
    help: str
    of_stream: bool = True
    on_command_line: bool = True


def _macro(name: str, metavar: str, help: str) -> Description:
    return Description(name, metavar, help, of_stream=False)


DESCRIPTIONS = (
    Description("time", "COL", "column with the time of a row; '' if there is none"),
    Description("time_format", "FORMAT", "how times are written, as in '%%d.%%m.%%Y %%H:%%M'"),
    Description("label", "COL|RULE", "column with the label, or a rule: 'delay > 15'"),
    Description("features", "A,B,C", "numeric columns"),
    Description("categorical", "A,B", "columns with categories"),
    Description("classes", "A,B", "all classes, in order"),
    Description("every", "LENGTH", "length of a step: 10m (ms s m h d) or 50 (rows)"),
    Description("scale", "HOW", "unit: bring numbers to [0, 1]; none"),
    Description("late", "HOW", "late rows: join the open step; reject"),
    Description("ahead", "LENGTH", "rows that lie further ahead are held aside; default 1d"),
    Description("max_step", "N", "rows of one window in a step at most; default 100000"),
    Description("delimiter", "CHAR", "of a CSV file: , ; | or tab"),
    Description("decimal", "CHAR", "of a CSV file: . or ,"),
    Description("bounds", "", "", on_command_line=False),
    _macro("distance", "NAME", "features, labels, frames, markov, iid"),
    _macro("history", "H", "steps that make a history, or all; a list as in 6,36"),
    _macro("thresholds", "A,B,C", "the grid of thresholds; inf is the marginal baseline"),
    _macro(
        "subroutine",
        "NAME",
        "logistic, nearest-mean, erm, vw, river:MODULE.CLASS(...), python:MODULE:FUNCTION",
    ),
    _macro("strategy", "NAME", "whose prediction is the prediction: ftl, ewa"),
    _macro("strategies", "A,B", "which strategies are computed: ftl,ewa"),
    _macro("output", "NAME", "which hypothesis a subroutine puts out: last, average or score"),
    _macro("delta", "D", "confidence of --output score"),
    _macro("eps_power", "P", "thresholds fall as (t + 1)^-P; 0: they do not"),
    _macro("max_subroutines", "N", "at most so many for each member of the grid"),
    _macro("empty_class", "HOW", "a class that one history lacks, for features: far, zero or skip"),
    _macro("seed", "N", "for River models that take a seed"),
)
PRESETS = ("paper-features", "paper-labels", "breakfast")
