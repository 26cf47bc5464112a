"""Whatever happens to a growing file, in whatever order: every row is read once, and in order."""

import os
import random
import shutil
import time

import pytest
from made_files import append, pack, rotate
from made_followers import HEADER, Watched


class Written:
    """A file that is written, and its follower."""

    def __init__(self, path, seed):
        self.path = path
        self.rng = random.Random(seed)
        self.count = self.copies = 0
        self.read = []
        path.write_bytes(HEADER)
        self.live = Watched(path)
        self.live.poll()

    def rows(self, count):
        numbers = range(self.count, self.count + count)
        self.count += count
        return b"".join(b"%d,%d,p\n" % (i, i) for i in numbers)

    def catch_up(self):
        for _ in range(3):
            self.live.poll(12)
            self.live.wait()

    def grow(self):
        append(self.path, self.rows(self.rng.choice([1, 3, 300])))

    def look(self):
        self.live.poll()

    def pause(self):
        self.live.wait()

    def resume(self):
        self.read += self.live.rows
        self.live = self.live.resumed()

    def rename(self):
        rotate(self.path, HEADER)

    def copy_and_truncate(self):
        self.catch_up()
        if self.path.read_bytes() == HEADER:  # a copy of that alone is not known again
            return
        append(self.path, self.rows(2))
        data = self.path.read_bytes()
        self.rename()
        old = self.path.with_name("live.csv.1")
        self.path.unlink()
        old.rename(self.path)
        old.write_bytes(data)
        os.truncate(self.path, 0)
        if self.rng.random() < 0.5:
            self.look()
        append(self.path, HEADER)

    def replace(self):
        new = self.path.with_name(".live.csv.tmp")
        new.write_bytes(self.path.read_bytes() + self.rows(2))
        new.rename(self.path)
        self.catch_up()

    def write_again(self):
        self.catch_up()
        data = self.path.read_bytes() + self.rows(2)
        for size in sorted(self.rng.sample(range(len(data)), 2)):
            self.path.write_bytes(data[:size])
            self.look()
        self.path.write_bytes(data)

    def compress(self):
        if self.live.follower.position()["line"] < 2:  # the header alone is not known again
            self.catch_up()
        rotated = [p for p in self.path.parent.glob("live.csv.*") if p.suffix != ".gz"]
        if rotated:
            pack(self.rng.choice(sorted(rotated)))

    def copy(self):
        self.copies += 1
        shutil.copyfile(self.path, self.path.with_name(f"live.csv-202601{self.copies:02}"))

    def tick(self):
        """Wait until a file that is written now has a later time than all others."""
        probe = self.path.with_name("clock")
        before = probe.stat().st_mtime_ns if probe.exists() else None
        while not probe.exists() or probe.stat().st_mtime_ns == before:
            time.sleep(0.0005)
            probe.write_bytes(b"")

    def take_away(self):
        away = self.path.rename(self.path.with_name("elsewhere"))
        self.look()
        if self.rng.random() < 0.5:
            self.resume()
            self.look()
        away.rename(self.path)


MISHAPS = [
    "rename",
    "compress",
    "copy_and_truncate",
    "replace",
    "write_again",
    "copy",
    "take_away",
    "resume",
]


@pytest.mark.parametrize("seed", range(12))
def test_every_row_is_read_once_and_in_order(tmp_path, seed):
    written = Written(tmp_path / "live.csv", seed)
    for _ in range(25):
        written.tick()
        getattr(written, written.rng.choice([*MISHAPS, *2 * ["grow", "look"], "grow", "pause"]))()
    for _ in range(5):
        written.catch_up()
    written.live.follower.close()
    assert written.read + written.live.rows == [f"{i},{i},p" for i in range(written.count)]
    assert written.live.rejected == []
