"""Parses and formats the target of `go to`: a step, a row, a share or a time."""

from __future__ import annotations

import math
import re
from datetime import datetime

from macro_engine.core.escape import visible
from macro_engine.core.format import time_text
from macro_engine.run.playing.pace import Destination
from macro_engine.stream.times import microseconds

_COUNTED = re.compile(r"(|step|row)\s*(\d[\d,_]{0,17})", re.IGNORECASE)


def parse_target(text: str) -> Destination:
    """A step, a row, a share of the input, or a time.

    >>> parse_target("12,040").step, parse_target("row 12040").row, parse_target("37.5%").share
    (12040, 12040, 0.375)
    >>> parse_target("2001-03-14 11:02").time
    984567720000000
    """
    text = text.strip()
    if match := _COUNTED.fullmatch(text):
        number = int(re.sub("[,_]", "", match[2]))
        return Destination(row=number) if match[1].lower() == "row" else Destination(step=number)
    if text.endswith("%"):
        return Destination(share=_share(text))
    try:
        return Destination(time=microseconds(datetime.fromisoformat(text)))
    except (ValueError, OverflowError):
        raise ValueError(
            f"'{visible(text, 40)}' is not a position: write 2400 (a step), row 12040, 50% "
            "or 2001-03-14 11:02"
        ) from None


def _share(text: str) -> float:
    try:
        share = float(text[:-1]) / 100
    except ValueError:
        share = math.nan
    if not 0 <= share <= 1:
        raise ValueError(f"'{visible(text, 40)}' is not a share: write 0% to 100%")
    return share


def target_text(target: Destination) -> str:
    """
    >>> target_text(Destination(share=0.5))
    '50%'
    """
    if target.step is not None:
        return f"step {target.step:,}"
    if target.row is not None:
        return f"row {target.row:,}"
    if target.time is not None:
        return time_text(target.time)
    assert target.share is not None
    return f"{100 * target.share:.3g}%"
