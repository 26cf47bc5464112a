"""The table of all options of a run: name, metavar, help, group, reader, default.

The command line, the TOML beside the data, the description inside a Parquet file and the estimator
all read it. The readers of values are a module of their own and are imported on first use, so that
`--help` and the first screen need not load them.
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
        The function in `readers` that parses a value from the command line or a file.
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
        """Parses a value; raises ValueError with a sentence that says what is wrong."""
        from macro_engine.options import readers

        return getattr(readers, self.reader)(value)


_OPTIONS = (
    Option("time", "COL", "column with the time of a row; '' if there is none", STREAM, "time"),
    Option("time_format", "FORMAT", "format of the times: '%%d.%%m.%%Y %%H:%%M'", STREAM, "text"),
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
        "scale numbers: running: by bounds where known, else by running mean and deviation; "
        "unit: all by bounds; none: not at all",
        STREAM,
        "scale",
    ),
    Option(
        "missing",
        "mean|reject",
        "a missing number: take the mean, or reject the row; default mean, or reject where all "
        "columns have bounds",
        STREAM,
        "missing",
    ),
    Option(
        "clock",
        "on|off",
        "add time of day and weekday to the features; default on where features are guessed",
        STREAM,
        "clock",
    ),
    Option(
        "late",
        "join|reject",
        "late rows join the open step, or are rejected",
        STREAM,
        "late",
        "join",
    ),
    Option(
        "ahead",
        "LENGTH",
        "hold aside rows that are further ahead of the newest step",
        STREAM,
        "length",
        "1d",
    ),
    Option(
        "max_step",
        "N",
        "split a window of more than N rows into several steps",
        STREAM,
        "number_of_rows",
        100_000,
    ),
    Option(
        "key",
        "COL",
        "column that identifies a row, so that its label may come later; several: A,B",
        STREAM,
        "names",
    ),
    Option("labels", "FILE", "a second file with keys and labels", STREAM, "text"),
    Option(
        "label_delay",
        "LENGTH",
        "each label is known this long after its row: 90m",
        STREAM,
        "length",
    ),
    Option("label_time", "COL", "column with the time when the label was known", STREAM, "text"),
    Option(
        "label_timeout",
        "LENGTH",
        "stop waiting for a label after 6h of the stream's time, after 5000 rows, or none: never",
        STREAM,
        "label_timeout",
    ),
    Option("columns", "A,B,C", "the columns of CSV without a header", STREAM, "names"),
    Option(
        "delimiter",
        "CHAR",
        "field delimiter of CSV: , ; | or tab; default: guessed",
        STREAM,
        "delimiter",
    ),
    Option("decimal", "CHAR", "decimal mark of CSV: . or ,; default: guessed", STREAM, "decimal"),
    Option(
        "encoding",
        "NAME",
        "encoding of a text file, such as latin-1; default utf-8",
        STREAM,
        "encoding",
    ),
    Option(
        "sort",
        "",
        "sort the rows of each recording by time, in memory",
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
        "number of steps in a history, or all; several: 6,36, the default where a step is a row; "
        "else the default of the distance",
        MACRO,
        "history",
    ),
    Option(
        "thresholds",
        "A,B,C",
        "the grid of thresholds (inf is the marginal baseline), or paper, or quantiles; default "
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
        "learning rate of logistic: sqrt: 1/sqrt(t); a number: constant",
        MACRO,
        "learning_rate",
        "sqrt",
    ),
    Option(
        "strategy",
        "NAME",
        "the strategy that makes the prediction: ftl, ewa, blend; default blend where it is "
        "computed, else ftl, else the first",
        MACRO,
        "strategy",
    ),
    Option(
        "strategies",
        "A,B",
        "the strategies to compute; default ftl,ewa,blend, without blend under a description or "
        "preset",
        MACRO,
        "strategies",
    ),
    Option("blend", "", "compute blend too", MACRO, "true_or_false", takes_value=False),
    Option(
        "output",
        "NAME",
        "output hypothesis of a subroutine: last, average or score",
        MACRO,
        "output",
        "last",
    ),
    Option("delta", "D", "confidence of --output score", MACRO, "share", 0.05),
    Option("eps_power", "P", "thresholds fall as (t + 1)^-P; 0: constant", MACRO, "power", 0.0),
    Option(
        "max_subroutines",
        "N",
        "at most N subroutines for each member of the grid, or none; default 64, none under a "
        "preset",
        MACRO,
        "number_of_subroutines",
    ),
    Option(
        "empty_class",
        "far|zero|skip",
        "how features treats a class that only one history has: distance 1, distance 0, or leave "
        "it out",
        MACRO,
        "empty_class",
        "far",
    ),
    Option(
        "metric",
        "NAME",
        "the metric of chart and verdict: error, logloss, balanced, precision, recall, f1",
        MACRO,
        "metric",
        "error",
    ),
    Option(
        "class",
        "NAME",
        "the class of precision, recall and f1; default: the rarest",
        MACRO,
        "class_name",
    ),
    Option("seed", "N", "the seed of River models that take one", MACRO, "seed"),
)
OPTIONS = {option.name: option for option in _OPTIONS}
DEFAULTS = {option.name: option.default for option in _OPTIONS if option.default is not None}
PRESETS = ("paper-features", "paper-labels", "breakfast", "breakfast-labels")
