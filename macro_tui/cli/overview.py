"""The overview that `macro-tui` alone prints."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

from macro_engine import __version__

_TEXT = """\
macro-tui {version}: watch a stream in which the right model changes with the moment

  macro-tui demo                         a stormy week at an airport; has a tour
  macro-tui replay FILE.csv --label COL  a recording of yours; inspect helps
  macro-tui tail LIVE.csv --run ops.run  follow a growing file, record the run

Small models, each trained on moments that looked alike, against one for all.
{others}
macro-tui COMMAND --help explains one; doctor checks this terminal and machine"""
_WIDTH = 80
_SHOWN = ("demo", "replay", "tail", "doctor")


def overview(commands: Iterable[str]) -> str:
    """Ten lines."""
    others = " ".join(name for name in commands if name not in _SHOWN)
    lines = wrap(f"Also: {others}", _WIDTH, subsequent_indent="      ")
    return _TEXT.format(version=__version__, others="\n".join(lines))
