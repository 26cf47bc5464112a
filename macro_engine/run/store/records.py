"""Records of steps: how they are divided, written, found and read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from macro_engine.core.names import Names
from macro_engine.core.state import DamagedError, array, number, pack, unpack, whole
from macro_engine.core.steps import PARTS, PIECE_ROWS, PIECE_STEPS, Axis, Steps, piece_starts
from macro_engine.core.tally import numbers
from macro_engine.core.totals import Totals
from macro_engine.run.store import codec
from macro_engine.run.store.ledger import checksum

PLACES = 16  # for the parts of a record: those of one at step s begin at 16 s
_MOST_STEP = 1 << 58


def records(parts: Sequence[Steps]) -> Iterator[Steps]:
    """Parts that follow each other, in pieces that are read and written one at a time."""
    group: list[Steps] = []
    steps = rows = 0
    for part in parts:
        for piece in _pieces(part):
            steps, rows = steps + piece.steps, rows + piece.rows
            if group and not _fits(steps, rows):
                yield Steps.join(group).with_fewer_lists()
                group, steps, rows = [], piece.steps, piece.rows
            group.append(piece)
    if group:
        yield Steps.join(group).with_fewer_lists()


def _fits(steps: int, rows: int) -> bool:
    """Whether it may be one record."""
    return steps <= PIECE_STEPS and (rows <= PIECE_ROWS or steps == 1)


def _pieces(steps: Steps) -> Iterator[Steps]:
    edges = [*piece_starts(steps.lengths), steps.steps]
    for a, b in pairwise(edges):
        yield steps.cut(steps.first_step + a, steps.first_step + b)


@dataclass(frozen=True)
class Head:
    """A record without its parts.

    Attributes
    ----------
    previous, link
        The link of the record before, and its own, which covers that one and the head.
    """

    first_step: int
    told: dict[str, Any]
    previous: bytes
    link: bytes

    @property
    def steps(self) -> int:
        return int(self.told["steps"])

    @property
    def stop(self) -> int:
        return self.first_step + self.steps

    @property
    def written(self) -> float:
        """When, in seconds since 1970."""
        return float(self.told["written"])

    @staticmethod
    def read(row: Sequence[Any]) -> Head:
        """Reads a head from its row in the table."""
        first_step, head, previous, link = row
        blobs = all(isinstance(value, bytes) for value in (head, previous, link))
        if not blobs or not 0 <= first_step < _MOST_STEP:
            raise DamagedError("its head is missing")
        if link_of(first_step, previous, head) != link:
            raise DamagedError("its head does not match its checksum")
        told = unpack(head)
        steps, rows = whole(told, "steps", 1, PIECE_STEPS), whole(told, "rows", 1)
        if rows > PIECE_ROWS and steps > 1:
            raise DamagedError("it is too long")
        whole(told, "first_row")
        whole(told, "lists", 1)
        number(told, "written")
        return Head(first_step, told, previous, link)


def link_of(first_step: int, previous: bytes, head: bytes) -> bytes:
    return checksum(first_step.to_bytes(8, "little", signed=True), previous, head)


def insert(connection: sqlite3.Connection, steps: Steps, previous: bytes, written: float) -> bytes:
    """Write one record, in place of one that begins at the same step; returns its link."""
    parts = {part: codec.encode(steps, part) for part in PARTS}
    head = pack(
        {
            "steps": steps.steps,
            "rows": steps.rows,
            "first_row": steps.first_row,
            "lists": len(steps.nearest),
            "written": written,
            "wrong": steps.before.wrong,
            "losses": steps.before.losses,
            "sums": steps.before.sums,
            "parts": [[part, checksum(data).hex()] for part, data in parts.items()],
        }
    )
    link = link_of(steps.first_step, previous, head)
    connection.execute(
        "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)",
        [steps.first_step, head, previous, link],
    )
    connection.executemany(
        "INSERT OR REPLACE INTO parts VALUES (?, ?)",
        [(PLACES * steps.first_step + i, data) for i, data in enumerate(parts.values())],
    )
    return link


def delete(connection: sqlite3.Connection, head: Head) -> None:
    """Deletes a record."""
    place = PLACES * head.first_step
    connection.execute("DELETE FROM records WHERE first_step = ?", [head.first_step])
    connection.execute("DELETE FROM parts WHERE place BETWEEN ? AND ?", [place, place + PLACES - 1])


def find(connection: sqlite3.Connection, condition: str, values: Sequence[Any]) -> Any:
    """The row of a record, or None."""
    return connection.execute(
        f"SELECT first_step, head, previous, link FROM records WHERE {condition} LIMIT 1", values
    ).fetchone()


def read(connection: sqlite3.Connection, head: Head, names: Names) -> Steps:
    """The steps of a record, every part of which must match its checksum."""
    told = head.told
    columns: dict[str, Any] = {}
    lengths = codec.lengths_of(names, head.steps, told["rows"], told["lists"])
    for i, (part, expected) in enumerate(_parts(told)):
        place = PLACES * head.first_step + i
        row = connection.execute("SELECT data FROM parts WHERE place = ?", [place]).fetchone()
        if row is None or not isinstance(row[0], bytes):
            raise DamagedError(f"its part '{part}' is missing")
        if checksum(row[0]) != expected:
            raise DamagedError(f"its part '{part}' does not match its checksum")
        if part in PARTS:
            columns |= codec.decode(row[0], part, lengths)
    before = Totals(
        names,
        told["first_row"],
        array(told, "wrong", np.int64, (names.predictors,)),
        array(told, "losses", np.float64, (len(names.members),)),
        array(told, "sums", np.float64, (numbers(names),)),
    )
    steps = Steps(first_step=head.first_step, first_row=told["first_row"], before=before, **columns)
    check(steps, lengths[Axis.ROW])
    return steps


def _parts(told: dict[str, Any]) -> Iterator[tuple[str, bytes]]:
    parts = told.get("parts")
    if not isinstance(parts, list) or not {*PARTS} <= {part[0] for part in parts}:
        raise DamagedError("its parts are not named")
    for part, expected in parts:
        yield str(part), bytes.fromhex(expected)


def check(steps: Steps, rows: int) -> None:
    """Refuse columns that contradict each other."""
    if steps.starts[-1] != rows or not (steps.lengths > 0).all():
        raise DamagedError("its numbers of rows are inconsistent")
    if (
        (steps.active > steps.subroutines).any()
        or (steps.active < 1).any()
        or int(steps.subroutines.max()) > steps.stop
    ):
        raise DamagedError("it names subroutines that do not exist")
    if np.count_nonzero(steps.listed) != len(steps.nearest):
        raise DamagedError("its lists of nearest subroutines are inconsistent")
    if int(steps.nearest.max(initial=0)) > int(steps.subroutines.max()):
        raise DamagedError("it lists subroutines that do not exist")
