"""Finds the rotated files of a path: the one that was read, and those after it."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise, takewhile
from pathlib import Path
from time import time
from typing import ClassVar

from macro_engine.core.declared import Declared, Integer
from macro_engine.core.escape import visible
from macro_engine.core.state import State
from macro_engine.stream.live.compressed import PackedError, Unpacked
from macro_engine.stream.live.fingerprint import Fingerprint, Match, Read
from macro_engine.stream.live.live_text import TextPosition
from macro_engine.stream.live.rotated_name import PLAIN, RotatedName

UNFINISHED = 10.0  # seconds without a change after which a compressed file is as it will be
_LARGEST = 1 << 64
_MOST_LOOKS = 20
_MOST_COMPARED = 64  # compressed files, which take long
_MOST_LEFT = 1000

FileLook = tuple[tuple[int, int], tuple[int, int]]  # identity, then size and last change


@dataclass(frozen=True)
class FilePosition:
    """A place in a file, and by what the file is known again."""

    device: int
    inode: int
    changed: int  # nanoseconds since 1970
    text: TextPosition
    skip_to: int = 0  # rows up to this byte are left out

    remembers: ClassVar = Declared(
        Integer("device", below=_LARGEST),
        Integer("inode", below=_LARGEST),
        Integer("changed", -_LARGEST, _LARGEST),
        Integer("skip_to"),
    )

    @property
    def identity(self) -> tuple[int, int]:
        return self.device, self.inode

    def state(self) -> State:
        return self.text.state() | self.remembers.state_of(self)

    @staticmethod
    def restored(state: State, needed: Sequence[str]) -> FilePosition:
        text = TextPosition.restored(state, needed)
        return FilePosition(text=text, **FilePosition.remembers.read(state))


@dataclass(frozen=True)
class FoundFile:
    """A regular file, as it was when looked at."""

    path: Path
    device: int
    inode: int
    size: int
    changed: int  # nanoseconds since 1970
    renamed: int = 0  # or otherwise handled
    name: RotatedName = PLAIN

    @staticmethod
    def at(path: Path, name: RotatedName = PLAIN) -> FoundFile | None:
        try:
            found = path.stat()
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        identity = found.st_dev, found.st_ino
        return FoundFile(path, *identity, found.st_size, found.st_mtime_ns, found.st_ctime_ns, name)

    @property
    def identity(self) -> tuple[int, int]:
        return self.device, self.inode

    @property
    def stat_key(self) -> FileLook:
        return self.identity, (self.size, self.changed)

    @property
    def is_packed(self) -> bool:
        return self.name.packing != ""

    @property
    def is_young(self) -> bool:
        """Whether the file may still be written."""
        return 0 <= time() - self.changed / 1e9 < UNFINISHED

    def likeness(self, fingerprint: Fingerprint) -> Match:
        """Raises `OSError` if the file cannot be read."""
        with self._opened() as read:
            return fingerprint.likeness(read)

    def compared(self, fingerprint: Fingerprint) -> CopyCheck:
        """The same for a file that may be compressed, and cut off or damaged then."""
        failure = ""

        def read_what_is_whole(place: int, size: int) -> bytes:
            nonlocal failure
            try:
                return read(place, size)
            except PackedError as error:
                failure = error.why
                return b""

        with self._opened() as read:
            likeness = fingerprint.likeness(read_what_is_whole)
            has_rows = (
                len(read_what_is_whole(0, len(fingerprint.head))) > fingerprint.head.find(b"\n") + 1
            )
        return CopyCheck(likeness, has_rows, failure)

    def has(self, place: int) -> bool:
        """Whether there is something at a place."""
        with suppress(PackedError), self._opened() as read:
            return len(read(place, 1)) > 0
        return False

    @contextmanager
    def _opened(self) -> Iterator[Read]:
        descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if self.is_packed:
                yield Unpacked(descriptor, self.name.packing).read
            else:
                yield lambda place, size: os.pread(descriptor, size, place)
        finally:
            os.close(descriptor)


@dataclass(frozen=True)
class CopyCheck:
    """The result of comparing a compressed file with the text read before."""

    likeness: Match
    has_rows: bool  # that could be compared
    failure: str  # why it cannot be read to its end, as far as that was tried

    @property
    def is_copy(self) -> bool:
        is_part = self.likeness is Match.SHORTER and self.has_rows
        return self.likeness is Match.SAME or is_part


class Rotation:
    """Finds the rotated files of a path by their names.

    Such as `FILE.1`, beside the path and, if that is a link, beside what it leads to.

    Parameters
    ----------
    path
        Where the newest file is.
    say
        Takes a line of text about a file that is damaged.
    """

    def __init__(self, path: Path, say: Callable[[str], None] = lambda _text: None) -> None:
        self.path = path
        self.say = say
        self.damaged: set[tuple[int, int]] = set()  # that were told of
        self.left: deque[FileLook] = deque(maxlen=_MOST_LEFT)  # whatever their names say
        self.hands_on = False  # names, from `FILE.1` to `FILE.2`: that was seen

    def at_path(self) -> FoundFile | None:
        return FoundFile.at(self.path)

    def file_of(self, position: FilePosition) -> FoundFile | None:
        """The file of a position, wherever it is now; else one that holds the same rows.

        Raises `OSError` where a file that might be it cannot be read, or not yet.
        """
        fingerprint = position.text.fingerprint
        for found in self._all():
            if found.inode != position.inode:  # a device may have another number after a reboot
                continue
            if found.is_packed:
                if _compared(found, fingerprint).likeness is Match.SAME:
                    return found
            elif found.likeness(fingerprint) in (Match.SAME, Match.CHANGED):
                return found
        found_elsewhere = self._rewritten(position) or self.copy_of(position)
        if found_elsewhere is None and position.text.has_rows:
            self._judge_damaged(fingerprint)
        return found_elsewhere

    def continued(self, position: FilePosition, taken: int) -> FoundFile | None:
        """Another file that holds the rows that were read: at the path, or else a longer one.

        An atomic save leaves such a file.
        """
        if (rewritten := self._rewritten(position)) is not None:
            return rewritten
        return self.copy_of(position, taken)

    def copy_of(self, position: FilePosition, taken: int = -1) -> FoundFile | None:
        """The longest sibling that holds the rows that were read, and more than so many bytes."""
        copies = [
            found
            for found in self._siblings()
            if found.identity != position.identity
            # what is compressed as it is has its time, and need not be unpacked to tell
            and not (found.is_packed and taken >= 0 and found.changed <= position.changed)
            and _is_copy(found, position, whole=True)
            and _is_longer(found, taken)
        ]
        return max(copies, key=lambda f: (not f.is_packed, f.size, f.changed), default=None)

    def first_after(self, position: FilePosition, changed: int) -> FoundFile | None:
        """The first sibling that was begun after the file of a position, and is no copy of it.

        That was changed then for certain; somebody may have touched it since. Raises `OSError`
        where the sibling is not complete yet.
        """
        siblings = self._siblings()
        own = next((found for found in siblings if found.identity == position.identity), None)
        if own is None:
            later = _later_by_time(siblings, position.changed)
            own = next((f for f in later if f.is_packed and _is_copy(f, position)), None)
        if own is not None:
            later = self._later_than(own, siblings, changed)
        later = [f for f in later if f.stat_key not in self.left and not _is_copy(f, position)]
        if later and later[0].is_packed:
            self._wait_for(later[0], _compared(later[0], position.text.fingerprint))
        return later[0] if later else None

    def leave(self, stat_key: FileLook) -> None:
        """Marks a file as read to its end, so that it is not read again."""
        if stat_key not in self.left:
            self.left.append(stat_key)

    def _later_than(
        self, own: FoundFile, siblings: Sequence[FoundFile], changed: int
    ) -> list[FoundFile]:
        """Those that were begun after a file, in their order.

        By their names if both have dates, or numbers; else by the last change.
        """
        others = [found for found in siblings if found.identity != own.identity]
        counts_up = not self.hands_on and _counts_up([replace(own, changed=changed), *others])
        later, elsewhere = [], []
        for found in others:
            if found.name.date is not None and own.name.date is not None:
                later += [found] * (found.name.date > own.name.date)
            elif found.name.number is not None and own.name.number is not None:
                later += [found] * ((found.name.number > own.name.number) is counts_up)
            else:
                elsewhere.append(found)
        self.hands_on |= own.name.number is not None and later != [] and not counts_up
        return _in_order(later + _later_by_time(elsewhere, own.changed), counts_up)

    def _rewritten(self, position: FilePosition) -> FoundFile | None:
        now = self.at_path()
        if now is None or now.identity == position.identity or not position.text.has_rows:
            return None
        return now if now.likeness(position.text.fingerprint) is Match.SAME else None

    def _judge_damaged(self, fingerprint: Fingerprint) -> None:
        """Wait for compressed files that might hold what was read, or say that they cannot tell."""
        for found in self._siblings():
            if not found.is_packed:
                continue
            compared = _compared(found, fingerprint)
            if not compared.failure or compared.likeness is Match.OTHER:
                continue
            self._wait_for(found, compared)
            if found.identity not in self.damaged:
                self.damaged.add(found.identity)
                self.say(
                    f"{visible(found.path.name)} is damaged ({visible(compared.failure)}): if it "
                    "is the file that was read before, its further rows are lost"
                )

    def _wait_for(self, found: FoundFile, compared: CopyCheck) -> None:
        if compared.failure and found.is_young:
            raise OSError(0, f"{visible(found.path.name)} is not complete yet")

    def _siblings(self) -> list[FoundFile]:
        """All but the file at the path."""
        now = self.at_path()
        return [file for file in self._all() if now is None or file.identity != now.identity]

    def _all(self) -> list[FoundFile]:
        """While names are handed on, a single look could miss a file: two must agree."""
        before = None
        for _ in range(_MOST_LOOKS):
            found = self._look()
            names = [(file.path, file.identity) for file in found]
            if names == before:
                break
            before = names
        return found

    def _look(self) -> list[FoundFile]:
        paths = {self.path: PLAIN}  # even in a folder that cannot be listed
        for base in dict.fromkeys([self.path, Path(os.path.realpath(self.path))]):
            with suppress(OSError):
                for name in sorted(os.listdir(base.parent)):
                    if name.startswith(base.name) and (
                        rotated := RotatedName.parse(name[len(base.name) :])
                    ):
                        paths[base.with_name(name)] = rotated
        plain = {path for path, name in paths.items() if not name.packing}
        found = [
            file
            for path, name in paths.items()
            # while a file is compressed, it stays until that is done
            if not (name.packing and path.with_suffix("") in plain)
            and (file := FoundFile.at(path, name)) is not None
        ]
        return list({file.identity: file for file in reversed(found)}.values())


def _is_copy(found: FoundFile, position: FilePosition, whole: bool = False) -> bool:
    """Whether a file holds the rows that were read from another; of a compressed one, or some."""
    fingerprint = position.text.fingerprint
    if not position.text.has_rows:
        return False
    try:
        if found.is_packed and not whole:
            return _compared(found, fingerprint).is_copy
        likeness = (
            _compared(found, fingerprint).likeness
            if found.is_packed
            else found.likeness(fingerprint)
        )
    except OSError:
        return False
    return likeness is Match.SAME


@lru_cache(_MOST_COMPARED)
def _compared(found: FoundFile, fingerprint: Fingerprint) -> CopyCheck:
    return found.compared(fingerprint)


def _is_longer(found: FoundFile, taken: int) -> bool:
    return taken < 0 or (_has(found, taken) if found.is_packed else found.size > taken)


@lru_cache(_MOST_COMPARED)
def _has(found: FoundFile, place: int) -> bool:
    return found.has(place)


def _later_by_time(siblings: Sequence[FoundFile], changed: int) -> list[FoundFile]:
    """Those that were begun after a file, by when it was last changed, for want of its name.

    In the order of their names none comes before one that is older.
    """
    counts_up = _counts_up(siblings)
    dated = [found for found in siblings if found.name.date is not None]
    numbered = [found for found in siblings if found.name.number is not None]
    others = [found for found in siblings if found not in dated and found not in numbered]
    later = [found for found in others if found.changed > changed]
    for group in (dated, numbered):
        newest_first = reversed(_in_order(group, counts_up))
        later += takewhile(lambda found: found.changed > changed, newest_first)
    return _in_order(later, counts_up)


def _in_order(found: Sequence[FoundFile], counts_up: bool) -> list[FoundFile]:
    """Files by when they were begun: `FILE.2` before `FILE.1`, unless numbers count up."""
    if all(file.name.date is not None for file in found):
        return sorted(found, key=lambda file: file.name.date or ())
    if all(file.name.number is not None for file in found):
        return sorted(found, key=_number, reverse=not counts_up)
    return sorted(found, key=lambda file: file.changed)


def _counts_up(found: Iterable[FoundFile]) -> bool:
    """Whether the newest file gets the highest number, as with some programs.

    Where names are handed on, from `FILE.1` to `FILE.2`, a later file is renamed later.
    """
    numbered = sorted((file for file in found if file.name.number is not None), key=_number)
    return len(numbered) > 1 and all(
        a.changed < b.changed and a.renamed < b.renamed for a, b in pairwise(numbered)
    )


def _number(found: FoundFile) -> int:
    assert found.name.number is not None
    return found.name.number
