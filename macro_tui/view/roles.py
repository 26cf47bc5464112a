"""The roles of text, and their styles on each kind of terminal."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class RoleStyle:
    """A colour for dark and light themes in full colour, and for the same two in 16 colours."""

    dark: str
    light: str
    ansi_dark: str
    ansi_light: str
    style: str = "none"
    ansi_style: str | None = None  # in 16 colours; the same where it is None


_DEFAULT = ("ansi_default", "ansi_default")
# The hues stay apart for colour-blind eyes; no two roles that meet differ by hue alone.
ROLES = {
    "label": RoleStyle("$foreground", "$foreground", "ansi_default", "ansi_default"),
    # dim, for bright black is the background of some palettes
    "muted": RoleStyle("$foreground 62%", "$foreground 75%", *_DEFAULT, ansi_style="dim"),
    "axis": RoleStyle("$foreground 42%", "$foreground 55%", *_DEFAULT, ansi_style="dim"),
    "strong": RoleStyle("$foreground", "$foreground", "ansi_default", "ansi_default", "bold"),
    "marginal": RoleStyle("#e69f00", "#8f5a00", "ansi_yellow", "ansi_default"),
    "ftl": RoleStyle("#56b4e9", "#0060a8", "ansi_bright_blue", "ansi_blue"),
    "ewa": RoleStyle("#3ddc97", "#00704a", "ansi_bright_green", "ansi_green", "bold"),
    "strategy": RoleStyle("#e7c6ff", "#6a3d9a", "ansi_bright_cyan", "ansi_cyan", "bold"),
    "no_change": RoleStyle("#b0a8b9", "#6b5f75", "ansi_white", "ansi_black"),
    "threshold": RoleStyle("#d890c0", "#99407a", "ansi_bright_magenta", "ansi_magenta"),
    "alarm": RoleStyle("#ff6b6b", "#b00020", "ansi_bright_red", "ansi_red", "bold reverse"),
    "birth": RoleStyle("#f0e442", "#6b5000", "ansi_bright_yellow", "ansi_default", "bold"),
    "cursor": RoleStyle("$foreground", "$foreground", "ansi_default", "ansi_default", "reverse"),
    "chosen": RoleStyle("#3ddc97", "#00704a", "ansi_bright_green", "ansi_green", "bold"),
    "good": RoleStyle("#3ddc97", "#00704a", "ansi_green", "ansi_green"),
    "bad": RoleStyle("#ff8a65", "#b03000", "ansi_bright_red", "ansi_red"),
}
# Who was active has no red and no green, which say worse and better.
_IDENTITIES = (
    RoleStyle("#56b4e9", "#0060a8", "ansi_bright_blue", "ansi_blue"),
    RoleStyle("#e69f00", "#8f5a00", "ansi_yellow", "ansi_yellow"),
    RoleStyle("#d890c0", "#99407a", "ansi_magenta", "ansi_magenta"),
    RoleStyle("#7fdbda", "#00707a", "ansi_cyan", "ansi_cyan"),
    RoleStyle("#d0d0d0", "#404040", "ansi_white", "ansi_black"),
)
NAMED = len(_IDENTITIES)  # subroutines that have a colour and a sign of their own
for _place, _look in enumerate(_IDENTITIES):
    ROLES[f"sub{_place}"] = _look
    ROLES[f"sub{_place}_faint"] = replace(_look, style="dim")
ROLES["other_faint"] = replace(ROLES["muted"], style="dim")
NAMES = tuple(ROLES)
FILLED = frozenset(name for name, look in ROLES.items() if "reverse" in look.style)


def named_role(place: int, is_clear: bool) -> str:
    """The role of the subroutine at a place among the named; faint where it has a small share."""
    name = f"sub{place}" if place < NAMED else "muted" if is_clear else "other"
    return name if is_clear else f"{name}_faint"
