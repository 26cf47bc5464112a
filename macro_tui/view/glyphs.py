"""The characters that pictures are made of, in Unicode and in ASCII; each fills one cell."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rich.cells import cell_len

_PLAIN = re.compile("[ -~\u2500-\u25ff\u2800-\u28ff]*")
_SPELLED = str.maketrans({"…": "~", "·": "-", "→": ">", "∞": "~"})


@dataclass(frozen=True)
class Glyphs:
    """One set of characters; strings of several run from the lightest to the heaviest.

    `fills` stand for subroutines that have names, `other` for the rest.
    """

    ascii: bool
    one_birth: str
    births: str
    leader: str
    viewed: str
    head: str
    view: str
    active: str
    upright: str
    side: str
    beyond: str
    horizontal: str
    corner: str
    tick: str
    mark: str
    blocks: str
    bars: str
    shades: str
    fills: str
    other: str
    area: str
    curves: str
    more: str
    infinite: str


UNICODE = Glyphs(
    ascii=False,
    one_birth="▴",
    births="▲",
    leader="●",
    viewed="▶",
    head="●",
    view="◆",
    active="◄",
    upright="┆",
    side="│",
    beyond="┄",
    horizontal="─",
    corner="└",
    tick="┤",
    mark="┬",
    blocks=" ▏▎▍▌▋▊▉█",
    bars=" ▁▂▃▄▅▆▇█",
    shades=" ░▒▓█",
    fills="█▓▒░▪",
    other="·",
    area="█",
    curves="─━╌┈┄═",
    more="…",
    infinite="∞",
)
ASCII = Glyphs(
    ascii=True,
    one_birth="^",
    births="A",
    leader="*",
    viewed=">",
    head="O",
    view="V",
    active="<-",
    upright=":",
    side="|",
    beyond=".",
    horizontal="-",
    corner="+",
    tick="+",
    mark="+",
    blocks=" #",
    bars=" .:-=+*#",
    shades=" .:*#",
    fills="#=+-~",
    other=".",
    area="#",
    curves="*#-.o+",
    more="~",
    infinite="inf",
)


def one_cell_each(text: str, ascii_only: bool = False) -> str:
    r"""The text with a question mark for whatever would not fill exactly one cell.

    >>> one_cell_each("ATL\x1b[2J 東")
    'ATL?[2J ?'
    >>> one_cell_each("0.05 → 0.10 ▲", ascii_only=True)
    '0.05 > 0.10 ?'
    """
    if ascii_only and not text.isascii():
        text = text.translate(_SPELLED).encode("ascii", "replace").decode()
    if _PLAIN.fullmatch(text):
        return text
    return "".join(c if c.isprintable() and cell_len(c) == 1 else "?" for c in text)
