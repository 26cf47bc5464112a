"""Follows a growing file through rotation and truncation, by polling.

A file is what its inode is: after a rename the open descriptor is read to its end before the next
file is begun. What happens to a file is reported, and none of it ends the run.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, time

from macro_engine.core.escape import visible
from macro_engine.core.state import State
from macro_engine.stream.formats.text_file import PIECE
from macro_engine.stream.live.compressed import PackedError, Unpacked
from macro_engine.stream.live.fingerprint import Fingerprint, Match
from macro_engine.stream.live.live_text import CsvColumns, LiveText, TextPosition, is_cut_bom
from macro_engine.stream.live.piece_size import PieceSize
from macro_engine.stream.live.rotation import UNFINISHED, FilePosition, FoundFile, Rotation
from macro_engine.stream.source import Source
from macro_engine.stream.table import Table

GRACE = 1.0  # seconds that a renamed file may still be written to
_REPLACED = "was replaced by a file with the rows read before: continuing after them"


class OpenFile:
    """A file that is open for reading, and the text read from it.

    Parameters
    ----------
    found
        The file, as it was found.
    is_live
        Whether it is at the path that is followed; else it was rotated.
    position
        Where to go on; None at the start.
    """

    def __init__(
        self, found: FoundFile, text: LiveText, is_live: bool, position: FilePosition | None
    ) -> None:
        self.path = found.path
        self.text = text
        self.is_live = is_live
        self.descriptor = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        now = os.fstat(self.descriptor)
        self.device, self.inode = now.st_dev, now.st_ino
        if not stat.S_ISREG(now.st_mode):
            self.close()
            raise OSError(0, "not a regular file")
        self.unpacked = Unpacked(self.descriptor, found.name.packing) if found.is_packed else None
        self.checked = 0, 0  # size and last change when all that was taken was still there
        self.checked_at = 0.0
        self.is_over = False  # nothing more can be read
        self.changed = now.st_mtime_ns
        self.changed_before = self.changed if position is None else position.changed
        self.skip_to = 0 if position is None else position.skip_to
        if self.unpacked is None and now.st_size < self.skip_to:
            self.skip_to = 0  # it was cut in the meantime

    @property
    def identity(self) -> tuple[int, int]:
        return self.device, self.inode

    @property
    def size(self) -> int:
        return self.stat_key()[0]

    def stat_key(self) -> tuple[int, int]:
        """Its size and last change."""
        found = os.fstat(self.descriptor)
        self.changed = found.st_mtime_ns
        if self.is_live:  # else somebody may have touched it
            self.changed_before = self.changed
        return found.st_size, found.st_mtime_ns

    def read(self, place: int, size: int) -> bytes:
        if self.is_over:
            return b""
        if self.unpacked is not None:
            return self.unpacked.read(place, size)
        return os.pread(self.descriptor, size, place)

    def position(self) -> FilePosition:
        with suppress(OSError):  # it is as it was
            self.stat_key()
        return FilePosition(*self.identity, self.changed, self.text.position(), self.skip_to)

    def close(self) -> None:
        os.close(self.descriptor)


class TailSource(Source):
    """Reads a growing file.

    Parameters
    ----------
    path
        Where the file is expected; siblings such as `FILE.1` are looked at after a rotation.
    layout
        The columns in the order in which they are expected.
    say
        Takes a line of text about what happened to the file.
    after
        A file as it was when reading was asked for: what it held is left out.
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
    """

    def __init__(
        self,
        path: Path,
        layout: CsvColumns,
        say: Callable[[str], None],
        after: FoundFile | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.path = path
        self.name = path.name
        self.layout = layout
        self.say_plainly = say
        self.clock = clock
        self.rotation = Rotation(path, self.say)
        self.file: OpenFile | None = None
        self.moved_at: float | None = None  # when the file was first seen not to be at the path
        self.last_read = -GRACE
        self.piece = PieceSize()
        self.trouble: str | None = None
        self.has_more = False
        self.is_idle = True
        self.last: FilePosition | None = None  # to go on from, while no file is open
        if after is not None:
            text = TextPosition(Fingerprint(), 0, list(layout.names))
            self.last = FilePosition(*after.identity, after.changed, text, after.size)

    def position(self) -> State | None:
        """Where to read on; None before anything was read."""
        position = self.file.position() if self.file is not None else self.last
        return None if position is None else position.state()

    def restore(self, position: State) -> None:
        """Go on from a position: in that file, wherever it is now."""
        self.last = FilePosition.restored(position, self.layout.needed)

    def start(self) -> None:
        """Opens the file, so that there is a position before the first row."""
        if self.file is None:
            try:
                self._find()
            except FileNotFoundError:
                pass  # it was renamed while it was looked at: the next look finds it
            except OSError as error:
                self._cannot_be_read(error)

    def poll(self) -> list[Table]:
        """The rows that have come; none if there are none."""
        self.has_more = False
        self.is_idle = True
        self.start()
        if self.file is None:
            return []
        try:
            return self._read(self.file)
        except OSError as error:
            self.close()  # it is looked for again
            self._cannot_be_read(error)
            return []

    def close(self) -> None:
        if self.file is not None:
            self.last = self.file.position()
            self.file.close()
            self.file = None

    def say(self, text: str) -> None:
        self.say_plainly(f"{visible(self.path.name)}: {text}")

    def _read(self, file: OpenFile) -> list[Table]:
        text = file.text
        stat_key = file.stat_key()
        skips = text.taken < file.skip_to
        most = min(PIECE, file.skip_to - text.taken) if skips else self.piece.of(self.most_rows)
        try:
            data = file.read(text.taken, most)
        except PackedError as error:
            return self._read_no_further(file, error)
        if file.unpacked is None and (data or stat_key != file.checked):
            if not text.is_in(file.read):
                return self._changed_in_place(file)
            file.checked = stat_key
        if not data or (text.taken == 0 and is_cut_bom(data)):
            return self._look_around(file)
        self._out_of_trouble()
        self.is_idle = False
        self.has_more = skips or len(data) == most
        self.last_read = self.clock()
        tables = text.take(data)
        self.piece.took(len(data), sum(map(len, tables)))
        if file.unpacked is None:  # as many rows as there are in as many bytes of these
            left = max(stat_key[0] - text.taken, 0)
            self.behind = left * sum(map(len, tables)) // len(data)
        return [] if skips else tables

    def _read_no_further(self, file: OpenFile, error: PackedError) -> list[Table]:
        """A compressed file is cut off or damaged: it may still be written, or is left."""
        name = visible(file.path.name)
        stat_key = file.stat_key()
        if stat_key != file.checked:
            file.checked, file.checked_at = stat_key, self.clock()
            assert file.unpacked is not None
            file.unpacked.renew()
        self.is_idle = False
        if self.clock() - file.checked_at < UNFINISHED:
            self._in_trouble(f"{name} is not complete yet")
            return []
        self.trouble = None
        self.say(
            f"{name} is damaged after {file.text.taken:,} bytes of its content "
            f"({visible(error.why)}): rows may be lost"
        )
        file.is_over = True
        return []

    def _look_around(self, file: OpenFile) -> list[Table]:
        """There was nothing to read: is it still the file at the path, or is there another?"""
        self.behind = 0
        now = self.rotation.at_path()
        if now is not None and now.identity == file.identity:
            self.moved_at = None
            self._out_of_trouble()
            return []
        if not self._is_left(file):
            self.is_idle = now is None
            return []
        try:
            return self._leave(file)
        except FileNotFoundError:
            pass  # it was renamed while it was looked at: the next look finds it
        except OSError as error:
            self._cannot_be_read(error)
        return []

    def _is_left(self, file: OpenFile) -> bool:
        """Whether a file that left its path is no longer written."""
        now = self.clock()
        if self.moved_at is None:
            self.moved_at = now
        if not file.is_live and time() - file.changed / 1e9 >= GRACE:
            return True  # it was renamed before it was opened
        return now - max(self.moved_at, self.last_read) >= GRACE

    def _leave(self, file: OpenFile) -> list[Table]:
        """Go on with the next file, if there is one."""
        position = file.position()
        self.rotation.leave((file.identity, file.stat_key()))
        continued = self.rotation.continued(position, file.text.taken)
        if continued is not None:
            if self._open(continued, position):
                self.say(_REPLACED)
            return []
        following = self._after(position, file.changed_before)
        if following is None or not self._open(following):
            return []
        self.say(f"rotated: continuing with the new file ({visible(following.path.name)})")
        return file.text.abandon()

    def _changed_in_place(self, file: OpenFile) -> list[Table]:
        """What was taken is not there any more: a copy may have it, or it is written again."""
        position = file.position()
        likeness = position.text.fingerprint.likeness(file.read)
        if likeness in (Match.SAME, Match.CHANGED):
            self._out_of_trouble()
            self.say("was changed in place: continuing after what was read before")
            file.text = self._text(file.path, position.text.renewed(file.read))
            self.is_idle = False
            return []
        cut = f"was cut short, and has {file.size:,} bytes now"
        copy = self.rotation.copy_of(position)
        if copy is not None and self._open(copy, position):
            self.say(f"{cut}: finishing {visible(copy.path.name)} first")
            return []
        if likeness is Match.SHORTER:  # it may be written again, with the same rows
            now = self.rotation.at_path()
            if now is None or now.identity != file.identity:
                return self._look_around(file)
            self._in_trouble("file cut short")
            return []
        self._out_of_trouble()
        self.say(
            f"{cut}: reading from its start; rows that came to it in the last moment before may "
            "be lost"
        )
        self.layout = file.text.layout
        left = file.text.abandon()
        file.text, file.skip_to = self._text(file.path), 0
        self.is_idle = False
        return left

    def _find(self) -> None:
        """Open the file that was read before, or else the first one after it."""
        position = self.last
        if position is None:
            now = self.rotation.at_path()
            if now is None:
                self._in_trouble("file gone")
            else:
                self._open(now)
            return
        found = self.rotation.file_of(position)
        if found is not None:
            if not self._open(found, position):
                return
            if found.path != self.path:
                self.say(f"rotated in the meantime: finishing {visible(found.path.name)} first")
            elif found.inode != position.inode:
                self.say(_REPLACED)
            return
        following = self._after(position, position.changed)
        if following is not None and self._open(following):
            self.say(
                "the file that was read before is gone, and so are rows that came to it since; "
                "continuing with what is there now: rows may be lost"
            )

    def _after(self, position: FilePosition, changed: int) -> FoundFile | None:
        """The file to begin after one that is left; None if there is none yet."""
        later = self.rotation.first_after(position, changed)
        if later is not None:
            return later
        now = self.rotation.at_path()
        if now is None:
            self._in_trouble("file gone")
            return None
        fingerprint = position.text.fingerprint
        if not position.text.has_rows or now.likeness(fingerprint) is not Match.SHORTER:
            return now
        if now.size > fingerprint.head.find(b"\n") + 1:
            self._in_trouble("file holds no rows but those read before")
        else:
            self._out_of_trouble()
        return None

    def _open(self, found: FoundFile, position: FilePosition | None = None) -> bool:
        """Open a file in place of the present one, unless another has its name by now."""
        if self.file is not None:
            self.layout = self.file.text.layout
        text = self._text(found.path, None if position is None else position.text)
        file = OpenFile(found, text, found.path == self.path, position)
        if file.identity != found.identity:
            file.close()
            return False
        if self.file is not None:
            self.file.close()
        self.file = file
        self.is_idle = False
        self.moved_at = None
        self.last_read = self.clock()
        self._out_of_trouble()
        return True

    def _text(self, path: Path, position: TextPosition | None = None) -> LiveText:
        return LiveText(path.name, self.layout, self.say, position)

    def _cannot_be_read(self, error: OSError) -> None:
        self._in_trouble(f"file cannot be read ({visible(error.strerror)})")

    def _in_trouble(self, words: str) -> None:
        if self.trouble != words:
            self.trouble = words
            self.say(f"{words}, waiting")

    def _out_of_trouble(self) -> None:
        if self.trouble is not None:
            self.trouble = None
            self.say("is there again")
