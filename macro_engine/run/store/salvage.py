"""Reads the intact part of a damaged run file, and describes the damage."""

from __future__ import annotations

import sqlite3
from typing import Any

from macro_engine.core.format import steps_text
from macro_engine.core.names import Names
from macro_engine.core.state import DamagedError
from macro_engine.core.steps import Steps
from macro_engine.run.store import records
from macro_engine.run.store.ledger import Ledger
from macro_engine.run.store.tables import FAILURES, DamageLog


class WholeRecords:
    """The records of a file that are whole.

    Heads are read at once, and the last record, which may grow; the others one at a time, so that
    no transaction is long.

    Attributes
    ----------
    heads
        Of the records that stand in the chain where they say that they stand.
    """

    def __init__(
        self, connection: sqlite3.Connection, names: Names, ledger: Ledger | None, found: DamageLog
    ) -> None:
        self.connection = connection
        self.names = names
        self.found = found
        self.heads = _linked(_heads(connection, found), ledger, found)
        self._name_gaps(ledger)
        self.last = self._read(self.heads[-1]) if self.heads else None

    def read(self, head: records.Head) -> Steps | None:
        """The steps of a record; None if it is damaged, which is named."""
        return self.last if head is self.heads[-1] else self._read(head)

    def _read(self, head: records.Head) -> Steps | None:
        try:
            return records.read(self.connection, head, self.names)
        except (DamagedError, *FAILURES) as error:
            self.found.damaged(f"the record of {steps_text(head.first_step, head.stop)}: {error}")
            return None

    def _name_gaps(self, ledger: Ledger | None) -> None:
        step = 0 if ledger is None else ledger.first_step
        for head in self.heads:
            if head.first_step > step:
                self.found.damaged(f"{steps_text(step, head.first_step)}: missing or damaged")
            step = head.stop
        if ledger is not None and step < ledger.stop:
            self.found.damaged(f"{steps_text(step, ledger.stop)}: missing or damaged")


def _heads(connection: sqlite3.Connection, found: DamageLog) -> list[records.Head]:
    """The heads that are whole, in order."""
    heads: dict[int, records.Head] = {}
    for row in _all_rows(connection):
        try:
            heads[row[0]] = records.Head.read(row)
        except DamagedError as error:
            found.damaged(f"the record that begins at step {row[0]:,}: {error}")
    return [heads[step] for step in sorted(heads)]


def _all_rows(connection: sqlite3.Connection) -> list[Any]:
    """The rows of all records that can be found, from either end."""
    rows: dict[int, Any] = {}
    for order, compare in (("ASC", ">"), ("DESC", "<")):
        at = None
        try:
            while True:
                condition = "1" if at is None else f"first_step {compare} {at}"
                row = records.find(connection, f"{condition} ORDER BY first_step {order}", [])
                if row is None:
                    return list(rows.values())
                if row[0] in rows and order == "DESC":
                    break
                if not isinstance(row[0], int) or (at is not None and row[0] == at):
                    break
                at = row[0]
                rows[at] = row
        except FAILURES:
            continue  # the rest may be found from the other end
    return list(rows.values())


def _linked(
    heads: list[records.Head], ledger: Ledger | None, found: DamageLog
) -> list[records.Head]:
    """The heads that stand in the chain where they say that they stand."""
    trusted: list[records.Head] = []
    for i, head in enumerate(heads):
        before, after = heads[i - 1] if i else None, heads[i + 1] if i + 1 < len(heads) else None
        broken = False
        if before is not None and before.stop >= head.first_step:
            broken = before.stop > head.first_step or before.link != head.previous
        if after is not None and after.first_step <= head.stop:
            broken |= after.first_step < head.stop or after.previous != head.link
        if ledger is not None:
            broken |= head.first_step < ledger.first_step or head.stop > ledger.stop
            broken |= head.stop == ledger.stop and head.link != ledger.link
            broken |= head.first_step == ledger.first_step and head.previous != ledger.first_link
        if broken:
            found.damaged(
                f"the record of {steps_text(head.first_step, head.stop)} does not match its "
                "neighbours"
            )
        else:
            trusted.append(head)
    return trusted
