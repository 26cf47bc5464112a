"""The roles of text as Textual component classes and a stylesheet."""

from __future__ import annotations

from macro_tui.view.roles import ROLES


def stylesheet(widget: str) -> str:
    """The rules for a widget's component classes, one for each role; later rules win."""
    rules = []
    for name, look in ROLES.items():
        ansi_style = look.style if look.ansi_style is None else look.ansi_style
        for kind, colour, style in (
            (":dark", look.dark, look.style),
            (":light", look.light, look.style),
            (":dark:ansi", look.ansi_dark, ansi_style),
            (":light:ansi", look.ansi_light, ansi_style),
        ):
            rule = f"color: {colour}; text-style: {style};"
            rules.append(f"{widget}{kind} > .{component(name)} {{ {rule} }}")
    return "\n".join(rules)


def component(role: str) -> str:
    """The CSS class that a theme or a stylesheet of the app may restyle."""
    return f"lines--{role.replace('_', '-')}"
