"""The suffix that a rotation adds to a file name: a date or a number, and a compression."""

from __future__ import annotations

import re
from dataclasses import dataclass

_ADDED = re.compile(r"(?P<added>[._-]\d[\d._:TZ+-]*|\.old)(?P<packing>\.(?:gz|bz2|xz))?")
_NUMBER = re.compile(r"[._-](\d{1,3})")
_ZONE = re.compile(r"(Z|\+\d{2}:?\d{2})$")
_LAST_WEEK = 53  # a year may be followed by a month or a week


@dataclass(frozen=True)
class RotatedName:
    """The suffix of a rotated file.

    Attributes
    ----------
    date
        The numbers of a date, from the year on, which sort by time; None where there is none.
    number
        That of `FILE.1`; None where there is none.
    packing
        `.gz`, `.bz2` or `.xz`; empty for a plain file.
    """

    date: tuple[int, ...] | None = None
    number: int | None = None
    packing: str = ""

    @staticmethod
    def parse(added: str) -> RotatedName | None:
        """Read what was added to a name; None if no rotation adds that.

        >>> RotatedName.parse("-20240131.gz")
        RotatedName(date=(2024, 1, 31), number=None, packing='.gz')
        >>> RotatedName.parse(".2024-01-31_13-05").date
        (2024, 1, 31, 13, 5)
        >>> RotatedName.parse(".2").number
        2
        >>> RotatedName.parse(".run")
        """
        match = _ADDED.fullmatch(added)
        if match is None:
            return None
        packing = match["packing"] or ""
        if (number := _NUMBER.fullmatch(match["added"])) is not None:
            return RotatedName(number=int(number[1]), packing=packing)
        return RotatedName(date=_date(match["added"]), packing=packing)


PLAIN = RotatedName()


def _date(added: str) -> tuple[int, ...] | None:
    """The parts of a date, or the seconds since 1970, with a counter behind it if there is one."""
    first, *rest = re.findall(r"\d+", _ZONE.sub("", added)) or [""]
    year = int(first[:4] or 0)
    if len(first) == 10 and not 1970 <= year < 2100:
        return (int(first), *map(int, rest))
    if not 1970 <= year < 2100 or (len(first) == 4 and not rest):
        return None
    if len(first) not in (4, 6, 8, 10, 12, 14):
        return None
    parts = [year, *_pairs(first[4:])]
    if len(parts) > 1 and not 1 <= parts[1] <= _LAST_WEEK:
        return None
    for digits in rest:
        is_time = len(parts) == 3 and (len(digits) == 6 or (len(digits) == 4 and "T" in added))
        parts += _pairs(digits) if is_time else [int(digits)]
    return tuple(parts)


def _pairs(digits: str) -> list[int]:
    return [int(digits[i : i + 2]) for i in range(0, len(digits), 2)]
