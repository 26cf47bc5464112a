"""A follower of a growing file that is watched."""

from __future__ import annotations

from macro_engine.stream.formats.dialect import Dialect
from macro_engine.stream.live.live_text import CsvColumns
from macro_engine.stream.live.tail import GRACE, TailSource

HEADER = b"t,a,y\n"


class Watched:
    """A follower with a clock of its own, the rows that it read and what it said."""

    def __init__(self, path, names=("t", "a", "y"), **options):
        self.now = 0.0
        self.path = path
        self.rows, self.lines, self.rejected, self.said = [], [], [], []
        layout = CsvColumns(Dialect(), names, ["t", "a", "y"])
        self.follower = TailSource(
            path, layout, self.said.append, clock=lambda: self.now, **options
        )

    def poll(self, times=3):
        """Poll some times; returns the rows that came."""
        before = len(self.rows)
        for _ in range(times):
            for table in self.follower.poll():
                columns = [table.columns[name].texts() for name in ("t", "a", "y")]
                self.rows += [",".join(row) for row in zip(*columns, strict=True)]
                self.lines += table.lines.tolist()
                self.rejected += table.broken
        return self.rows[before:]

    def wait(self, seconds=GRACE):
        self.now += seconds

    def resumed(self, **options):
        """Another one that goes on where this one stands."""
        position = self.follower.position()
        self.follower.close()
        other = Watched(self.path, **options)
        other.follower.restore(position)
        return other
