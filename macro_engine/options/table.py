"""The one table of the options of a run: name, what it takes, help, group, reader, default.

It drives the command line, the TOML beside the data, the description inside a Parquet file and
what the estimator takes. Whoever only shows the options need not load what reads them: a screen is
painted before that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

STREAM, MACRO = "stream options", "MACRO options"


@dataclass(frozen=True)
class Option:
    """One setting.

    Attributes
    ----------
    reader
        The function in `readers` that reads what was typed or stands in a file.
    default
        None where there is none, or where it depends on other settings.
    """

    name: str
    metavar: str
    help: str
    group: str
    reader: str
    default: Any = None
    on_command_line: bool = True
    takes_value: bool = True

    @property
    def flag(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    def read(self, value: Any) -> Any:
        """The plain value; raises ValueError with a sentence that says what is wrong."""
        from macro_engine.options import readers

        return getattr(readers, self.reader)(value)


_OPTIONS = (
    Option("time", "COL", "column with the time of a row; '' if there is none", STREAM, "time"),
    Option("time_format", "FORMAT", "how times are written: '%%d.%%m.%%Y %%H:%%M'", STREAM, "text"),
    Option("label", "COL|RULE", "column with the label, or a rule: 'delay > 15'", STREAM, "text"),
    Option("features", "A,B,C", "numeric columns", STREAM, "names"),
    Option("categorical", "A,B", "columns with categories", STREAM, "names"),
    Option("classes", "A,B", "all classes, in order", STREAM, "classes"),
    Option(
        "every", "LENGTH", "length of a step: 10m (ms s m h d) or 50 (rows)", STREAM, "every", "1"
    ),
    Option(
        "scale",
        "running|unit|none",
        "running: numbers by mean and deviation, or by known bounds; unit: all by bounds; none",
        STREAM,
        "scale",
    ),
    Option(
        "missing",
        "mean|reject",
        "missing numbers: mean; reject the row; default mean, reject where all have bounds",
        STREAM,
        "missing",
    ),
    Option(
        "clock",
        "on|off",
        "learn from time of day and weekday too; default on where features are guessed",
        STREAM,
        "clock",
    ),
    Option("late", "join|reject", "late rows: join the open step; reject", STREAM, "late", "join"),
    Option("ahead", "LENGTH", "hold aside rows that are further ahead", STREAM, "length", "1d"),
    Option(
        "max_step", "N", "at most N rows of one window in a step", STREAM, "number_of_rows", 100_000
    ),
    Option(
        "key",
        "COL",
        "what identifies a row, so that its label may come later; several: A,B",
        STREAM,
        "names",
    ),
    Option("labels", "FILE", "a second file with keys and labels", STREAM, "text"),
    Option(
        "label_delay", "LENGTH", "how long after its row each label is known: 90m", STREAM, "length"
    ),
    Option("label_time", "COL", "column that says when the label was known", STREAM, "text"),
    Option(
        "label_timeout",
        "LENGTH",
        "wait no longer for a label: 6h of the stream's time, 5000 rows, or none",
        STREAM,
        "label_timeout",
    ),
    Option("columns", "A,B,C", "the columns of CSV without a header", STREAM, "names"),
    Option(
        "delimiter", "CHAR", "of a CSV file: , ; | or tab; default: guessed", STREAM, "delimiter"
    ),
    Option("decimal", "CHAR", "of a CSV file: . or ,; default: guessed", STREAM, "decimal"),
    Option(
        "encoding", "NAME", "of a text file, such as latin-1; default utf-8", STREAM, "encoding"
    ),
    Option(
        "sort",
        "",
        "put the rows of each recording in the order of their times, in memory",
        STREAM,
        "true_or_false",
        takes_value=False,
    ),
    Option("bounds", "", "", STREAM, "bounds", on_command_line=False),
    Option(
        "distance", "NAME", "features, labels, frames, markov, iid", MACRO, "distance", "labels"
    ),
    Option(
        "history",
        "H",
        "steps that make a history, or all; a list: 6,36, the default where a step is a row; "
        "else that of the distance",
        MACRO,
        "history",
    ),
    Option(
        "thresholds",
        "A,B,C",
        "the grid of thresholds; inf is the marginal baseline; or paper, or quantiles; default "
        ".01,.05,.1,.3,inf where a step is a row, else those of the distance",
        MACRO,
        "thresholds",
    ),
    Option(
        "subroutine",
        "NAME",
        "logistic, nearest-mean, erm, vw, river:MODULE.CLASS(...), python:MODULE:FUNCTION",
        MACRO,
        "text",
        "logistic",
    ),
    Option(
        "learning_rate",
        "sqrt|NUMBER",
        "the step of logistic: sqrt: 1/sqrt(t), which falls; a number: always that",
        MACRO,
        "learning_rate",
        "sqrt",
    ),
    Option(
        "strategy",
        "NAME",
        "whose prediction it is: ftl, ewa, blend; default blend where it is computed, else ftl, "
        "else the first",
        MACRO,
        "strategy",
    ),
    Option(
        "strategies",
        "A,B",
        "which are computed; default ftl,ewa,blend, without blend under a description or preset",
        MACRO,
        "strategies",
    ),
    Option("blend", "", "compute blend too", MACRO, "true_or_false", takes_value=False),
    Option(
        "output",
        "NAME",
        "which hypothesis a subroutine puts out: last, average or score",
        MACRO,
        "output",
        "last",
    ),
    Option("delta", "D", "confidence of --output score", MACRO, "share", 0.05),
    Option("eps_power", "P", "thresholds fall as (t + 1)^-P; 0: they do not", MACRO, "power", 0.0),
    Option(
        "max_subroutines",
        "N",
        "at most N for each member of the grid, or none; default 64, none under a preset",
        MACRO,
        "number_of_subroutines",
    ),
    Option(
        "empty_class",
        "far|zero|skip",
        "a class that one history lacks, for features: far, zero or skip",
        MACRO,
        "empty_class",
        "far",
    ),
    Option(
        "metric",
        "NAME",
        "what chart and verdict speak of: error, logloss, balanced, precision, recall, f1",
        MACRO,
        "metric",
        "error",
    ),
    Option(
        "class", "NAME", "of precision, recall and f1; default: the rarest", MACRO, "class_name"
    ),
    Option("seed", "N", "for River models that take a seed", MACRO, "seed"),
)
OPTIONS = {option.name: option for option in _OPTIONS}
DEFAULTS = {option.name: option.default for option in _OPTIONS if option.default is not None}
PRESETS = ("paper-features", "paper-labels", "breakfast", "breakfast-labels")
