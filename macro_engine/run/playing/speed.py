"""A playing speed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible


@dataclass(frozen=True)
class Speed:
    """A multiple of the stream's own time, or rows a second; neither means as fast as it goes."""

    multiple: float | None = None
    rate: float | None = None

    @staticmethod
    def parse(text: str) -> Speed:
        """Read `60x` or `max`.

        >>> Speed.parse("60x")
        Speed(multiple=60.0, rate=None)
        """
        if text == "max":
            return Speed()
        match = re.fullmatch(r"(\d+(?:\.\d+)?)x", text)
        if match is None or float(match[1]) == 0:
            raise UsageError(f"--speed '{visible(text)}' is not a speed; write 60x or max")
        return Speed(multiple=float(match[1]))

    @property
    def is_limited(self) -> bool:
        return self.multiple is not None or self.rate is not None

    def __str__(self) -> str:
        if self.multiple is not None:
            return f"{self.multiple:,.10g}x"
        return "max" if self.rate is None else f"{self.rate:,.10g} rows/s"
