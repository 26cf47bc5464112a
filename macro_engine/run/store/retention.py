"""`--keep 30d` or `--keep 10GB`: the limit of a run file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_BYTES = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
_SLACK = 0.95  # of the limit remains after a drop, so that drops are rare


@dataclass(frozen=True)
class Retention:
    """A limit by age, counted from when steps were recorded, or by the size of the file.

    >>> Retention.parse("30d").seconds, Retention.parse("1.5GB").size
    (2592000.0, 1500000000)
    """

    text: str
    seconds: float | None = None
    size: int | None = None

    @staticmethod
    def parse(text: str) -> Retention:
        found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([a-zA-Z]+)", text.strip())
        amount, unit = (float(found[1]), found[2]) if found else (0.0, "")
        if amount > 0 and unit in _SECONDS:
            return Retention(text.strip(), seconds=amount * _SECONDS[unit])
        if amount > 0 and unit in _BYTES:
            return Retention(text.strip(), size=int(amount * _BYTES[unit]))
        raise UsageError(
            f"--keep '{visible(text)}' is neither an age nor a size; write 30d (s m h d) or 10GB "
            "(kB MB GB TB)"
        )

    def exceeded(self, age: float, size: int) -> bool:
        """Whether a file of this size, with a first record of this age, exceeds the limit."""
        return (self.seconds is not None and age > self.seconds) or (
            self.size is not None and size > self.size
        )

    def lowered(self) -> Retention:
        """Returns the limit to enforce once something is dropped."""
        return Retention(
            self.text,
            None if self.seconds is None else _SLACK * self.seconds,
            None if self.size is None else int(_SLACK * self.size),
        )
