"""The options for late labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from macro_engine.core.errors import UsageError
from macro_engine.options.readers import QUANTILES
from macro_engine.stream.label import parse_label
from macro_engine.stream.spec import (
    LATE_TIMEOUT,
    LATE_TIMEOUT_ROWS,
    LATE_TIMEOUT_WINDOWS,
    LateLabels,
    StepLength,
)

if TYPE_CHECKING:
    from macro_engine.options.settings import Settings


def late_labels_of(settings: Settings, columns: Sequence[str]) -> LateLabels | None:
    """Returns the settings of late labels; None if labels come with their rows."""
    key, file = tuple(settings.get("key") or ()), settings.get("labels")
    delay, time = settings.get("label_delay"), settings.get("label_time")
    if file is not None and not key:
        raise UsageError("--labels: name the columns that identify a row with --key")
    if delay is not None and time is not None:
        raise UsageError("--label-delay and --label-time say the same; leave one out")
    for option, value in (("--label-delay", delay), ("--label-time", time)):
        if value is not None and settings.get("time") is None:
            raise UsageError(f"{option} needs a time column; name it with --time")
    if settings["thresholds"] == QUANTILES and (key or delay or time):
        raise UsageError(
            "--thresholds: where labels come late they cannot be found from the first rows; "
            "write numbers, as in --thresholds .1,.2,.5"
        )
    if not (key or delay or time):
        if settings.get("label_timeout") is not None:
            raise UsageError(
                "--label-timeout: no label comes late without --key, --label-delay or --label-time"
            )
        return None
    microseconds = StepLength.parse(delay).microseconds or 0 if delay else 0
    label = parse_label(settings["label"], columns).column
    return LateLabels(
        key,
        Path(file) if file else None,
        microseconds,
        time,
        _label_timeout(settings, microseconds),
        file is None or label in columns,
    )


def _label_timeout(settings: Settings, delay: int) -> StepLength | None:
    asked = settings.get("label_timeout")
    if asked == "none" or (asked is None and settings.get("label_time") is not None):
        return None
    if asked is not None:
        timeout = StepLength.parse(asked)
        if timeout.microseconds is not None and settings.get("time") is None:
            raise UsageError(
                "--label-timeout: a length of time needs a time column; name it with --time "
                "or count rows, as in --label-timeout 5000"
            )
        return timeout
    if settings.get("time") is None:
        return StepLength(rows=LATE_TIMEOUT_ROWS)
    window = StepLength.parse(settings["every"]).microseconds
    least = LATE_TIMEOUT if window is None else LATE_TIMEOUT_WINDOWS * window
    return StepLength(microseconds=max(least, 2 * delay))
