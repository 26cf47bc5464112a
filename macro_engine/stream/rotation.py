"""The files at a path and beside it: which one was read, and which ones come after it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from macro_engine.state import State, whole
from macro_engine.stream.live_text import TextPosition
from macro_engine.stream.mark import Likeness, Mark

_ROTATED = re.compile(r"[.-]\d[\d._:TZ-]*|\.old")  # what a rotation adds to a file's name
_LARGEST = 1 << 64
_MOST_LOOKS = 20


@dataclass(frozen=True)
class FilePosition:
    """A place in a file, and by what the file is known again."""

    device: int
    inode: int
    changed: int  # nanoseconds since 1970
    text: TextPosition
    skip_to: int = 0  # rows up to this byte are left out

    @property
    def identity(self) -> tuple[int, int]:
        return self.device, self.inode

    def state(self) -> State:
        return self.text.state() | {
            "device": self.device,
            "inode": self.inode,
            "changed": self.changed,
            "skip_to": self.skip_to,
        }

    @staticmethod
    def restored(state: State, needed: Sequence[str]) -> FilePosition:
        return FilePosition(
            whole(state, "device", 0, _LARGEST),
            whole(state, "inode", 0, _LARGEST),
            whole(state, "changed", -_LARGEST, _LARGEST),
            TextPosition.restored(state, needed),
            whole(state, "skip_to"),
        )


@dataclass(frozen=True)
class Found:
    """An ordinary file, as it was when looked at."""

    path: Path
    device: int
    inode: int
    size: int
    changed: int  # nanoseconds since 1970
    renamed: int = 0  # or otherwise handled

    @staticmethod
    def at(path: Path) -> Found | None:
        try:
            found = path.stat()
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        identity = found.st_dev, found.st_ino
        return Found(path, *identity, found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    @property
    def identity(self) -> tuple[int, int]:
        return self.device, self.inode

    @property
    def number(self) -> int:
        """That of `FILE.1`; 0 where there is none."""
        number = re.search(r"\.(\d{1,3})$", self.path.name)
        return int(number[1]) if number else 0

    @property
    def order(self) -> tuple[bool, int, int]:
        """Sorts later files by when they were begun: `FILE.2` before `FILE.1`."""
        return not self.number, -self.number, self.changed

    def is_later_than(self, other: Found) -> bool:
        """Whether it was begun after another, by the last change.

        By that alone a file that stayed empty for a day may be older than the one before it, and
        everything is after the clock was set back. Where names are handed on, from `FILE.1` to
        `FILE.2`, the number tells, and a later one is renamed later.
        """
        if not (self.number and other.number):
            return self.changed > other.changed
        is_newer = self.changed > other.changed or self.renamed >= other.renamed
        return self.number < other.number and is_newer

    def likeness(self, mark: Mark) -> Likeness:
        """Raises `OSError` if the file cannot be read."""
        descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return mark.likeness(lambda place, size: os.pread(descriptor, size, place))
        finally:
            os.close(descriptor)


class Rotation:
    """Knows the files that a path had by the names that a rotation gives them.

    Such as `FILE.1`, beside the path and, if that is a link, beside what it leads to.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def at_path(self) -> Found | None:
        return Found.at(self.path)

    def file_of(self, position: FilePosition) -> Found | None:
        """The file of a position, wherever it is now; else one that holds the same rows.

        Raises `OSError` where a file that might be it cannot be read.
        """
        for found in self._all():
            if found.inode == position.inode:  # a device may have another number after a reboot
                likeness = found.likeness(position.text.mark)
                if likeness in (Likeness.SAME, Likeness.CHANGED):
                    return found
        return self._rewritten(position) or self.copy_of(position)

    def continued(self, position: FilePosition, taken: int) -> Found | None:
        """Another file that holds the rows that were read: at the path, or else a longer one.

        An atomic save leaves such a file.
        """
        if (rewritten := self._rewritten(position)) is not None:
            return rewritten
        copy = self.copy_of(position)
        return copy if copy is not None and copy.size > taken else None

    def copy_of(self, position: FilePosition) -> Found | None:
        """The longest sibling that holds the rows that were read."""
        copies = [
            found
            for found in self._siblings()
            if found.identity != position.identity and _is_copy(found, position)
        ]
        return max(copies, key=lambda found: (found.size, found.changed), default=None)

    def first_after(self, position: FilePosition) -> Found | None:
        """The first sibling that was begun after the file of a position, and is no copy of it."""
        siblings = self._siblings()
        own = Found(self.path, *position.identity, 0, position.changed)
        own = next((found for found in siblings if found.identity == own.identity), own)
        later = [
            found
            for found in siblings
            if found.identity != own.identity
            and found.is_later_than(own)
            and not _is_copy(found, position)
        ]
        return min(later, key=lambda found: found.order, default=None)

    def _rewritten(self, position: FilePosition) -> Found | None:
        now = self.at_path()
        if now is None or now.identity == position.identity or not position.text.has_rows:
            return None
        return now if now.likeness(position.text.mark) is Likeness.SAME else None

    def _siblings(self) -> list[Found]:
        """All but the file at the path."""
        now = self.at_path()
        return [file for file in self._all() if now is None or file.identity != now.identity]

    def _all(self) -> list[Found]:
        """While names are handed on, a single look could miss a file: two must agree."""
        before = None
        for _ in range(_MOST_LOOKS):
            found = self._look()
            names = [(file.path, file.identity) for file in found]
            if names == before:
                break
            before = names
        return found

    def _look(self) -> list[Found]:
        paths = [self.path]  # even in a folder that cannot be listed
        for base in dict.fromkeys([self.path, Path(os.path.realpath(self.path))]):
            with suppress(OSError):
                paths += [
                    base.with_name(name)
                    for name in sorted(os.listdir(base.parent))
                    if name.startswith(base.name) and _ROTATED.fullmatch(name[len(base.name) :])
                ]
        found = [file for file in map(Found.at, paths) if file is not None]
        return list({file.identity: file for file in reversed(found)}.values())


def _is_copy(found: Found, position: FilePosition) -> bool:
    """Whether a file holds the rows that were read from another."""
    try:
        return position.text.has_rows and found.likeness(position.text.mark) is Likeness.SAME
    except OSError:
        return False
