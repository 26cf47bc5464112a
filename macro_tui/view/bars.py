"""Bars, sparklines and shades as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from macro_tui.view.glyphs import UNICODE, Glyphs


def bar(share: float, width: int, glyphs: Glyphs = UNICODE) -> str:
    """A horizontal bar of a share of the width; what is more than nothing shows.

    >>> bar(0.45, 5)
    '██▎  '
    >>> bar(0.001, 5)
    '▏    '
    """
    if not share > 0 or width <= 0:
        return " " * max(width, 0)
    steps = len(glyphs.blocks) - 1
    filled = max(1, round(min(share, 1.0) * width * steps))
    whole, part = divmod(filled, steps)
    return (glyphs.blocks[-1] * whole + glyphs.blocks[part] * (part > 0)).ljust(width)


def sparks(values: NDArray[Any], glyphs: Glyphs = UNICODE) -> str:
    """A small vertical bar for each value against the largest; what is not above zero is blank.

    >>> sparks(np.array([0, 1, 2, 4]))
    ' ▂▄█'
    """
    values = np.nan_to_num(np.asarray(values, float), nan=0.0, posinf=0.0, neginf=0.0)
    largest = values.max(initial=0.0)
    if largest <= 0:
        return " " * len(values)
    levels = np.ceil(np.clip(values / largest, 0, 1) * (len(glyphs.bars) - 1)).astype(int)
    return "".join(glyphs.bars[level] for level in levels)


def shades(values: NDArray[Any], limits: Sequence[float], glyphs: Glyphs = UNICODE) -> str:
    """A shade for each value, one step darker at each of the four limits it reaches.

    >>> shades(np.array([0.01, 0.1, 0.9]), (0.02, 0.15, 0.4, 0.7))
    ' ░█'
    """
    levels = np.searchsorted(limits, np.nan_to_num(np.asarray(values, float)), side="right")
    return "".join(glyphs.shades[level] for level in levels)


def legend_of(limits: Sequence[float], glyphs: Glyphs = UNICODE) -> str:
    """Returns the legend of the shades.

    >>> legend_of((0.02, 0.15, 0.4, 0.7))
    '░ 2% ▒ 15% ▓ 40% █ 70%'
    """
    return " ".join(
        f"{shade} {limit:.0%}" for shade, limit in zip(glyphs.shades[1:], limits, strict=True)
    )
