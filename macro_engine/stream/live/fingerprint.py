"""The fingerprint of a text: its first bytes, and the last ones before a position in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import ClassVar

from macro_engine.core.declared import ByteString, Declared, Integer
from macro_engine.core.state import DamagedError, State

NEAR = 1024  # bytes after the first line, and before the place
_LONGEST_HEAD = 1 << 16

Read = Callable[[int, int], bytes]  # at most so many bytes from a place on


class Match(Enum):
    """Whether a text is the marked one."""

    SAME = auto()
    CHANGED = auto()  # it begins as that does, and has other bytes before the place
    SHORTER = auto()  # it begins as that does, and ends before the place
    OTHER = auto()


@dataclass(frozen=True)
class Fingerprint:
    r"""A place in a text, and what was read before it.

    >>> fingerprint = Fingerprint().moved(b"time,late\n9:00,")
    >>> text = b"time,late\n9:00,0\n"
    >>> fingerprint.likeness(lambda place, size: text[place : place + size])
    <Match.SAME: 1>
    """

    byte: int = 0
    head: bytes = b""  # the first line, which does not tell texts apart, and some bytes more
    behind: bytes = b""  # the last ones before the place

    remembers: ClassVar = Declared(Integer("byte"), ByteString("head"), ByteString("behind"))

    def moved(self, data: bytes) -> Fingerprint:
        """The fingerprint after these bytes more."""
        head = self.head
        if len(head) == self.byte:
            head += data[: _LONGEST_HEAD - self.byte]
            head = head[: (head.find(b"\n") + 1 or len(head)) + NEAR]
        behind = (self.behind + data[-NEAR:])[-NEAR:]
        return Fingerprint(self.byte + len(data), head, behind)

    def likeness(self, read: Read) -> Match:
        """Compare a text that is read from outside, no further than is needed."""
        head = read(0, len(self.head))
        if not self.head.startswith(head):
            return Match.OTHER
        behind = self._behind(read)
        if len(head) < len(self.head) or len(behind) < len(self.behind):
            return Match.SHORTER
        return Match.SAME if behind == self.behind else Match.CHANGED

    def renewed(self, read: Read) -> Fingerprint:
        """The same place in a text that was changed before it."""
        return replace(self, behind=self._behind(read))

    def _behind(self, read: Read) -> bytes:
        return read(self.byte - len(self.behind), len(self.behind))

    def state(self) -> State:
        return Fingerprint.remembers.state_of(self)

    @staticmethod
    def restored(state: State) -> Fingerprint:
        fingerprint = Fingerprint(**Fingerprint.remembers.read(state))
        if len(fingerprint.head) > fingerprint.byte or len(fingerprint.behind) != min(
            fingerprint.byte, NEAR
        ):
            raise DamagedError("in its state the bytes read before are invalid")
        return fingerprint
