"""The characters of charts, in Unicode and in ASCII; each fills one cell."""

from __future__ import annotations

from dataclasses import dataclass


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
    area=".:+#",
    curves="*#-.o+",
    more="~",
    infinite="inf",
)
