"""The ledger of a run file: counts and checksums of everything in it.

Every record, event, rejected row, part of the state and word about the run has a checksum. Records
form a chain: the link of each covers its head and the link before it, and its head covers its
parts. The ledger has the length and the last link of the chain, how many events and rejected rows
there are, and a checksum over those of the state and of the words about the run. It is written in
every transaction, with a checksum of its own.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

from macro_engine.core.state import DamagedError, from_json, octets, whole
from macro_engine.core.steps import Steps

NAME = "ledger"  # among the words about the run
NO_LINK = bytes(16)  # stands before the first record


def checksum(data: bytes, *more: bytes) -> bytes:
    """Returns the checksum of one or more byte strings."""
    digest = blake2b(data, digest_size=16)
    for part in more:
        digest.update(part)
    return digest.digest()


def checksum_of_row(*values: Any) -> bytes:
    """Returns the checksum of a row of texts, integers and None, written as a JSON list."""
    return checksum(json.dumps(values).encode())


def matches(expected: Any, *values: Any) -> bool:
    """Whether a row that was read, of whatever types, has its checksum."""
    try:
        return bool(checksum_of_row(*values) == expected)
    except (TypeError, ValueError):
        return False


def sum_of(sums: Mapping[Any, bytes]) -> bytes:
    """One checksum over many that have names."""
    return checksum_of_row(*([name, sums[name].hex()] for name in sorted(sums)))


@dataclass
class Ledger:
    """The sums of a run file.

    Attributes
    ----------
    records
        How many there are.
    first_step, first_link
        Where the chain begins: 0 and no link, unless older records were dropped.
    last_step, link_before, link
        Where the last record begins, and the links before and after it.
    stop
        How many steps the run has.
    dropped
        Why the records before `first_step` were dropped; empty if none were.
    first_event, events, rejected
        The number of the first event that is kept, of the one after the last, and of the last
        rejected row.
    state, info
        The checksums of the parts of the state by name and number, and of the words by name.
    tail
        The steps of the last record where it may still grow; the writer's own.
    """

    records: int = 0
    first_step: int = 0
    first_link: bytes = NO_LINK
    last_step: int = 0
    link_before: bytes = NO_LINK
    link: bytes = NO_LINK
    stop: int = 0
    dropped: str = ""
    first_event: int = 0
    events: int = 0
    rejected: int = 0
    state: dict[tuple[str, int], bytes] = field(default_factory=dict)
    info: dict[str, bytes] = field(default_factory=dict)
    tail: Steps | None = None

    def copy(self) -> Ledger:
        return replace(self, state=dict(self.state), info=dict(self.info))

    def text(self) -> str:
        """The text in the file."""
        told = {name: getattr(self, name) for name in _WHOLE}
        told |= {name: getattr(self, name).hex() for name in _LINKS}
        told |= {
            "dropped": self.dropped,
            "state": sum_of(self.state).hex(),
            "info": sum_of(self.info).hex(),
        }
        return json.dumps(told)


_WHOLE = ("records", "first_step", "last_step", "stop", "first_event", "events", "rejected")
_LINKS = ("first_link", "link_before", "link")


@dataclass(frozen=True)
class StoredLedger:
    """A ledger as it was read: of the state and the words it has one checksum each."""

    ledger: Ledger
    state: bytes
    info: bytes

    @staticmethod
    def read(text: str) -> StoredLedger:
        told = from_json(text)
        if not isinstance(told, dict):
            raise DamagedError("its ledger is not a dictionary")
        counts: dict[str, Any] = {name: whole(told, name) for name in _WHOLE}
        links: dict[str, Any] = {name: octets(told, name) for name in _LINKS}
        ledger = Ledger(**counts, **links, dropped=str(told.get("dropped", "")))
        return StoredLedger(ledger, octets(told, "state"), octets(told, "info"))


def write_ledger(connection: sqlite3.Connection, ledger: Ledger) -> None:
    """Writes the ledger; the last statement of every transaction."""
    text = ledger.text()
    connection.execute(
        "INSERT OR REPLACE INTO run VALUES (?, ?, ?)", [NAME, text, checksum_of_row(NAME, text)]
    )
