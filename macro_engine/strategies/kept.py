"""The answers that a strategy keeps for steps that wait for their labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from macro_engine.core.rows import Ints


class Kept(Protocol):
    """Something for each of several steps in succession."""

    def cut(self, start: int, stop: int, starts: Ints) -> Kept:
        """That of some of the steps, which begin at `starts` among the rows."""

    def followed_by(self, later: Sequence[Any]) -> Kept:
        """With that of the steps which follow, of the same kind."""


class KeptList:
    """Anything, step by step."""

    def __init__(self, steps: Iterable[Any]) -> None:
        self.steps = list(steps)

    def cut(self, start: int, stop: int, starts: Ints) -> KeptList:  # noqa: ARG002
        return KeptList(self.steps[start:stop])

    def followed_by(self, later: Sequence[KeptList]) -> KeptList:
        return KeptList([kept for part in (self, *later) for kept in part.steps])
