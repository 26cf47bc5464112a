"""What a piece of text is there for, and how that looks on each kind of terminal."""

from __future__ import annotations

from dataclasses import dataclass

SUBROUTINE_COLOURS = 6


@dataclass(frozen=True)
class Look:
    """A colour for dark and light themes in full colour, and for the same two in 16 colours."""

    dark: str
    light: str
    ansi_dark: str
    ansi_light: str
    style: str = "none"


# The hues stay apart for colour-blind eyes; no two roles that meet differ by hue alone.
ROLES = {
    "label": Look("$foreground", "$foreground", "ansi_default", "ansi_default"),
    "muted": Look("$foreground 62%", "$foreground 75%", "ansi_bright_black", "ansi_bright_black"),
    "axis": Look("$foreground 42%", "$foreground 55%", "ansi_bright_black", "ansi_bright_black"),
    "strong": Look("$foreground", "$foreground", "ansi_default", "ansi_default", "bold"),
    "marginal": Look("#e69f00", "#8f5a00", "ansi_yellow", "ansi_red"),
    "ftl": Look("#56b4e9", "#0060a8", "ansi_bright_blue", "ansi_blue"),
    "ewa": Look("#3ddc97", "#00704a", "ansi_bright_green", "ansi_green", "bold"),
    "strategy": Look("#e7c6ff", "#6a3d9a", "ansi_bright_cyan", "ansi_cyan", "bold"),
    "no_change": Look("#b0a8b9", "#6b5f75", "ansi_white", "ansi_black"),
    "threshold": Look("#d890c0", "#99407a", "ansi_bright_magenta", "ansi_magenta"),
    "alarm": Look("#ff6b6b", "#b00020", "ansi_bright_red", "ansi_red", "bold reverse"),
    "birth": Look("#f0e442", "#a03c00", "ansi_bright_yellow", "ansi_red", "bold"),
    "cursor": Look("$foreground", "$foreground", "ansi_default", "ansi_default", "reverse"),
    "chosen": Look("#3ddc97", "#00704a", "ansi_bright_green", "ansi_green", "bold"),
    "good": Look("#3ddc97", "#00704a", "ansi_green", "ansi_green"),
    "bad": Look("#ff8a65", "#b03000", "ansi_bright_red", "ansi_red"),
    "sub0": Look("#56b4e9", "#0060a8", "ansi_blue", "ansi_blue"),
    "sub1": Look("#e69f00", "#8f5a00", "ansi_yellow", "ansi_yellow"),
    "sub2": Look("#3cb88a", "#00704a", "ansi_green", "ansi_green"),
    "sub3": Look("#d890c0", "#99407a", "ansi_magenta", "ansi_magenta"),
    "sub4": Look("#e2725b", "#b03000", "ansi_red", "ansi_red"),
    "sub5": Look("#9fa8da", "#4a4f9c", "ansi_cyan", "ansi_cyan"),
}
NAMES = tuple(ROLES)
FILLED = frozenset(name for name, look in ROLES.items() if "reverse" in look.style)


def subroutine_role(number: int) -> str:
    return f"sub{number % SUBROUTINE_COLOURS}"
