"""Errors that the user can fix: one line that says what, where and how."""


class MacroError(Exception):
    """A run cannot start or continue; the message is for the user. Exit code 1."""

    exit_code = 1


class UsageError(MacroError):
    """An option or a setting that cannot be used. Exit code 2."""

    exit_code = 2


class DroppedError(MacroError):
    """Steps of a run file were asked for that `--keep` dropped."""
