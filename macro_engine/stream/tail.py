"""Following a file that grows, through rotation and accidents, by looking at it now and then.

A file is what its inode is: after a rename the open descriptor is read to its end before the next
file is begun. What happened is said in words, and nothing that happens to a file ends the run.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, time

from macro_engine.state import State, whole
from macro_engine.stream.csv import CHUNK
from macro_engine.stream.live_text import HEAD, Layout, LiveText, fingerprint, is_cut_bom
from macro_engine.stream.table import Table
from macro_engine.visible import visible

GRACE = 1.0  # seconds that a renamed file may still be written to
_ROTATED = re.compile(r"[.-]\d[\d._:TZ-]*|\.old")  # what a rotation adds to a file's name
_LARGEST_INODE = 1 << 64
_MOST_LOOKS = 20


@dataclass(frozen=True)
class Found:
    """A file at a path, as it was when looked at."""

    path: Path
    device: int
    inode: int
    size: int
    changed: int  # nanoseconds since 1970

    def is_file_of(self, position: State) -> bool:
        """Whether it is the very file of a position, as far as can be told from outside."""
        return (self.device, self.inode) == (position["device"], position["inode"])


class OpenFile:
    """A file that is open for reading, and the text read from it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        found = os.fstat(self.descriptor)
        self.device, self.inode = found.st_dev, found.st_ino
        if not stat.S_ISREG(found.st_mode):
            self.close()
            raise OSError(0, "no ordinary file")
        self.text: LiveText

    def read(self, place: int, size: int) -> bytes:
        return os.pread(self.descriptor, size, place)

    @property
    def size(self) -> int:
        return os.fstat(self.descriptor).st_size

    @property
    def changed(self) -> int:
        return os.fstat(self.descriptor).st_mtime_ns

    def is_found(self, found: Found) -> bool:
        return (self.device, self.inode) == (found.device, found.inode)

    def position(self) -> State:
        return {"device": self.device, "inode": self.inode} | self.text.position()

    def close(self) -> None:
        os.close(self.descriptor)


class Follower:
    """Reads a growing file.

    Parameters
    ----------
    path
        Where the file is expected; siblings such as `FILE.1` are looked at after a rotation.
    layout
        The columns in the order in which they are expected.
    say
        Takes a line of text about what happened to the file.
    from_now
        Begin at the file's present end.
    clock
        Seconds, for the grace that a renamed file is given.

    Attributes
    ----------
    trouble
        In a few words, why there is nothing to read; None if there is a file.
    has_more
        Whether there is likely something to read at once.
    is_idle
        Whether nothing came at the last poll, and no other file waits to be begun.
    has_ended
        Never: a file may always grow.
    """

    has_ended = False

    def __init__(
        self,
        path: Path,
        layout: Layout,
        say: Callable[[str], None],
        from_now: bool = False,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.path = path
        self.layout = layout
        self.say_plainly = say
        self.from_now = from_now
        self.clock = clock
        self.file: OpenFile | None = None
        self.moved_at: float | None = None  # when the file was first seen not to be at the path
        self.last_read = -GRACE
        self.trouble: str | None = None
        self.has_more = False
        self.is_idle = True
        self.last: State | None = None  # the position in the file before, while none is open

    @property
    def name(self) -> str:
        return self.path.name

    def position(self) -> State | None:
        """Where to read on; None before anything was read."""
        return self.file.position() if self.file is not None else self.last

    def restore(self, position: State) -> None:
        """Go on from a position: in that file, wherever it is now."""
        for name in ("device", "inode"):
            whole(position, name, 0, _LARGEST_INODE)
        self.from_now = False
        found = None
        for _ in range(_MOST_LOOKS):  # it may be renamed while it is looked for
            found = self._file_of(position)
            if found is None or self._open(found, position):
                break
        if self.file is None:
            self.last = position
            self.say(
                "the file that was read before is gone, and so are rows that came to it since; "
                "going on with what is there now: rows may be lost"
            )
        elif found is not None and found.path != self.path:
            self.say(f"rotated in the meantime: finishing {visible(found.path.name)} first")

    def start(self) -> None:
        """Open the file, so that there is a position to go on from before a row was read."""
        if self.file is None:
            self._open_at_path()

    def poll(self) -> list[Table]:
        """The rows that have come; none if there are none."""
        self.has_more = False
        self.is_idle = True
        self.start()
        if self.file is None:
            return []
        text = self.file.text
        try:
            data = self.file.read(text.taken, CHUNK)
        except OSError as error:
            self._in_trouble(f"file cannot be read ({visible(error.strerror)})")
            return []
        if not data or (text.taken == 0 and is_cut_bom(data)):
            return self._look_around(self.file)
        if self.file.read(0, len(text.head)) != text.head:  # cut, and longer again already
            return self._start_over(self.file)
        self.has_more = len(data) == CHUNK
        self.is_idle = False
        self.last_read = self.clock()
        return text.take(data)

    def close(self) -> None:
        if self.file is not None:
            self.last = self.file.position()
            self.file.close()
            self.file = None

    def say(self, text: str) -> None:
        self.say_plainly(f"{visible(self.path.name)}: {text}")

    def _look_around(self, file: OpenFile) -> list[Table]:
        """There was nothing to read: is it still the file at the path, and as long as before?"""
        now = self._at(self.path)
        if now is not None and file.is_found(now):
            self.moved_at = None
            if file.size < file.text.taken:
                return self._start_over(file)
            self._out_of_trouble()
            return []
        if now is None and self.trouble is None and self._is_left(file):
            self._in_trouble("file gone")
        later = self._later_than(file)
        self.is_idle = not later
        if not later or not self._is_left(file):
            return []
        names = file.text.names
        left = file.text.abandon()
        self.layout = Layout(self.layout.dialect, names, self.layout.needed)
        if self._open(later[0]):
            self.say(f"rotated: going on with the new file ({visible(later[0].path.name)})")
        return left

    def _is_left(self, file: OpenFile) -> bool:
        """Whether nobody writes to a file any more that is not at the path."""
        if file.path != self.path:
            return time() - file.changed / 1e9 >= GRACE
        now = self.clock()
        if self.moved_at is None:
            self.moved_at = now
        return now - max(self.moved_at, self.last_read) >= GRACE

    def _start_over(self, file: OpenFile) -> list[Table]:
        """The file was cut short: what a copy of it still has comes first, then its new start."""
        position, size = file.position(), file.size
        copy = self._copy_of(position)
        if copy is not None:
            self.say(f"was cut short, to {size:,} bytes: finishing {visible(copy.path.name)} first")
            self._open(copy, position)
            return []
        tables = file.text.abandon()
        self.say(
            f"was cut short, to {size:,} bytes: reading from its start; rows that came to it in "
            "the last moment before may be lost"
        )
        self.layout = Layout(self.layout.dialect, file.text.names, self.layout.needed)
        file.text = LiveText(self.path.name, self.layout, self.say)
        return tables

    def _open_at_path(self) -> None:
        try:
            self._begin(OpenFile(self.path), None)
        except FileNotFoundError:
            self._in_trouble("file gone")
        except OSError as error:
            self._in_trouble(f"file cannot be read ({visible(error.strerror)})")

    def _open(self, found: Found, position: State | None = None) -> bool:
        """Open a file in place of the present one, unless another has its name by now."""
        try:
            file = OpenFile(found.path)
        except FileNotFoundError:
            return False
        except OSError as error:
            self._in_trouble(f"file cannot be read ({visible(error.strerror)})")
            return False
        if not file.is_found(found):
            file.close()
            return False
        self._begin(file, position)
        return True

    def _begin(self, file: OpenFile, position: State | None) -> None:
        head = b"" if position is None else file.read(0, min(position["byte"], HEAD))
        file.text = LiveText(file.path.name, self.layout, self.say, position, head)
        if self.from_now:
            _go_to_end(file)
            self.from_now = False
        if self.file is not None:
            self.file.close()
        self.file = file
        self.moved_at = None
        self.last_read = self.clock()
        self._out_of_trouble()

    def _in_trouble(self, words: str) -> None:
        if self.trouble != words:
            self.trouble = words
            self.say(f"{words}, waiting")

    def _out_of_trouble(self) -> None:
        if self.trouble is not None:
            self.trouble = None
            self.say("is there again")

    def _at(self, path: Path) -> Found | None:
        try:
            found = path.stat()
        except OSError:
            return None
        if not stat.S_ISREG(found.st_mode):
            return None
        return Found(path, found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)

    def _list(self) -> tuple[Found | None, list[Found]]:
        """The file at the path, and those such as `FILE.1`, the longest unchanged first.

        While names are handed on, a single look could miss a file: two must agree.
        """
        before = None
        for _ in range(_MOST_LOOKS):
            found = self._look()
            names = [(file.path, file.device, file.inode) for file in found]
            if names == before:
                break
            before = names
        at_path = [file for file in found if file.path == self.path]
        siblings = [file for file in found if file.path != self.path]
        return (at_path[0] if at_path else None), sorted(siblings, key=_age)

    def _look(self) -> list[Found]:
        prefix = self.path.name
        try:
            names = sorted(os.listdir(self.path.parent))
        except OSError:
            return []
        found = [
            self._at(self.path.with_name(name))
            for name in names
            if name == prefix
            or (name.startswith(prefix) and _ROTATED.fullmatch(name[len(prefix) :]))
        ]
        return [file for file in found if file is not None]

    def _later_than(self, file: OpenFile) -> list[Found]:
        """The files that were begun after another, in order; that at the path is the last."""
        own = _age(Found(file.path, 0, 0, 0, file.changed))
        now, siblings = self._list()
        for sibling in siblings:
            if file.is_found(sibling):  # by its present name
                own = _age(sibling)
        later = [s for s in siblings if _age(s) > own and not file.is_found(s)]
        return [*later, *([now] if now is not None and not file.is_found(now) else [])]

    def _file_of(self, position: State) -> Found | None:
        """The file of a position, by its inode and first bytes; else a copy of it."""
        now, siblings = self._list()
        for found in [*([now] if now is not None else []), *siblings]:
            if found.is_file_of(position) and _has_read(found, position):
                return found
        return self._copy_of(position)

    def _copy_of(self, position: State) -> Found | None:
        """A sibling that begins as the file of a position does, and is as long at least."""
        if whole(position, "line") < 2:
            return None  # by a header alone files are not told apart
        for found in reversed(self._list()[1]):
            if not found.is_file_of(position) and _has_read(found, position):
                return found
        return None


def _age(found: Found) -> tuple[int, int]:
    """Sorts files by their last change; of `FILE.2` and `FILE.1` changed at once, 2 is older."""
    number = re.search(r"\.(\d{1,9})$", found.path.name)
    return found.changed, -int(number[1]) if number else 0


def _has_read(found: Found, position: State) -> bool:
    """Whether a file is long enough and begins with the bytes that were read before."""
    length = whole(position, "head_bytes", 0, HEAD)
    if found.size < whole(position, "byte"):
        return False
    try:
        with found.path.open("rb") as file:
            return fingerprint(file.read(length)) == position.get("head")
    except OSError:
        return False


def _go_to_end(file: OpenFile) -> None:
    """Skip all whole lines that are there now."""
    text, size = file.text, file.size
    place = lines = end = 0
    while place < size and (data := file.read(place, min(CHUNK, size - place))):
        if data.count(b"\n"):
            lines += data.count(b"\n")
            end = place + data.rfind(b"\n") + 1
        place += len(data)
    text.head = file.read(0, min(end, HEAD))
    text.parser.bytes, text.parser.lines = end, lines
