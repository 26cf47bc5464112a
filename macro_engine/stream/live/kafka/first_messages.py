"""Infers columns and settings from the first messages of a topic."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Any

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.options.settings import Settings
from macro_engine.stream.encode import SAMPLE
from macro_engine.stream.formats.dialect import Dialect, column_names, sniff
from macro_engine.stream.formats.json_lines import Object, object_of
from macro_engine.stream.formats.text_column import looks_like_data
from macro_engine.stream.infer import COLUMN_OPTIONS, lacking_options
from macro_engine.stream.label import parse_label
from macro_engine.stream.live.kafka.client import Client, UnansweredError
from macro_engine.stream.live.kafka.messages import CSV, JSON, Format, MessageRow, fields_of
from macro_engine.stream.live.kafka.source import BATCH, made_format
from macro_engine.stream.source import Beginning, Wait
from macro_engine.stream.spec import check_width
from macro_engine.stream.table import Problem, Table

_NAMING = ("time", "features", "categorical", "key", "label_time")  # options that name columns
_FETCH_SECONDS = 0.3  # in which what is there should have come


class FirstMessages:
    """Reads them from given offsets on, and waits for as many as are needed."""

    def __init__(
        self, client: Client, settings: Settings, wait: Wait, offsets: dict[int, int]
    ) -> None:
        self.client = client
        self.settings = settings
        self.wait = wait
        self.offsets = offsets
        self.topic = client.address.topic
        self.messages: list[Any] = []
        self.ends: set[int] = set()

    def read(self) -> Beginning:
        """Wait for what is needed to know the columns, and to guess what was not given."""
        self.client.read_from(self.offsets)
        self._fetch()
        while why := self._lack():
            self.wait(why)
            self._fetch()
        self.messages.sort(key=lambda m: (m.timestamp()[1], m.partition(), m.offset()))
        objects = self._objects()
        if objects:
            names, notes = self._keys(objects)
            format_ = made_format(JSON, names, names, Dialect())
            read_as = {}
        else:
            dialect = self._dialect()
            names, notes = self._header(dialect), []
            format_ = made_format(CSV, names, names, dialect)
            read_as = {"delimiter": dialect.delimiter, "decimal": dialect.decimal}
        check_width(len(names), Path(self.topic))
        return Beginning(names, lambda: self._sample(format_), read_as=read_as, notes=notes)

    def _fetch(self) -> None:
        """Take what is there, until all ends are seen or there is enough."""
        until = monotonic() + _FETCH_SECONDS
        while monotonic() < until and len(self.messages) < SAMPLE:
            for message in self.client.consumer.consume(BATCH, timeout=0.05):
                if message.error() is None:
                    self.messages.append(message)
                    self.ends.discard(message.partition())
                elif self.client.is_end(message.error()):
                    self.ends.add(message.partition())
                elif self.client.is_out_of_range(message.error()):
                    self._skip_deleted(message.partition())
            if len(self.ends) == len(self.offsets):
                return

    def _skip_deleted(self, partition: int) -> None:
        """Go on with what is left of a partition whose first messages were deleted by now."""
        try:
            self.offsets[partition], _ = self.client.range_of(partition)
        except UnansweredError:
            return
        self.client.read_again(partition, self.offsets[partition])

    def _lack(self) -> str | None:
        """What there is too little of; None if the stream can begin."""
        seen = len(self.messages)
        if seen >= SAMPLE:
            return None
        if not any(message.value() for message in self.messages):
            return "waiting for the first message"
        if not set(COLUMN_OPTIONS) <= self.settings.values.keys():
            return (
                f"waiting for messages that tell which column is what, {seen}/{SAMPLE}; "
                f"{lacking_options(self.settings.values.keys())} would settle it at once"
            )
        objects = self._objects()
        known = {key for found in objects for key in found}
        absent = [name for name in self._named() if name not in known and not self._may_lack(name)]
        if objects and absent:
            return f"waiting for a message with the column '{visible(absent[0])}', {seen}/{SAMPLE}"
        return None

    def _named(self) -> list[str]:
        """The columns that options name."""
        named: list[str] = []
        for option in _NAMING:
            value = self.settings.get(option) or []
            named += [value] if isinstance(value, str) else value
        return [*named, *self._label()]

    def _label(self) -> list[str]:
        label = self.settings.get("label")
        return [] if label is None else [parse_label(label, []).column]

    def _may_lack(self, name: str) -> bool:
        """Whether a column may come later than its row."""
        return bool(self.settings.get("key")) and name in self._label()

    def _objects(self) -> list[Object]:
        values = [message.value() for message in self.messages]
        if values and values[0] and values[0][0] == 0:
            raise MacroError(
                f"{visible(self.topic)}: its messages are binary, as Avro or Protobuf with a "
                "schema registry are; JSON objects or lines of CSV are read"
            )
        found = [object_of(value) for value in values if value and value.lstrip()[:1] == b"{"]
        return [one for one in found if not isinstance(one, Problem)]

    def _keys(self, objects: list[Object]) -> tuple[list[str], list[str]]:
        """The columns of JSON messages, and what is left out of them."""
        if self.settings.get("columns"):
            raise UsageError(
                f"--columns: the messages of {visible(self.topic)} are JSON objects, which name "
                "their columns; leave the option out"
            )
        keys = dict.fromkeys(key for found in objects for key in found)
        for name in self._label():
            if self._may_lack(name):
                keys.setdefault(name)
        nested = {key for key in keys if _is_nested([found.get(key) for found in objects])}
        for name in self._named():
            if name in nested:
                raise UsageError(
                    f"{visible(self.topic)}: the column '{visible(name)}' holds lists or objects, "
                    "which are not read; send their values as columns of their own"
                )
        notes = [f"'{visible(k)}' is left out: it holds lists or objects" for k in sorted(nested)]
        return [key for key in keys if key not in nested], notes

    def _dialect(self) -> Dialect:
        lines = [value.rstrip(b"\r\n") for m in self.messages if (value := m.value())]
        sniffed = sniff([*lines, b""], self.settings.get("delimiter"))
        return Dialect(sniffed.delimiter, self.settings.get("decimal") or sniffed.decimal)

    def _header(self, dialect: Dialect) -> list[str]:
        """The columns of CSV messages: as they were given, or as a first message names them."""
        given: list[str] | None = self.settings.get("columns")
        if given:
            return given
        firsts: dict[int, bytes] = {}
        for message in self.messages:
            if message.value() and message.offset() == self.offsets[message.partition()]:
                firsts[message.partition()] = message.value()
        for value in firsts.values():
            fields = fields_of(value, dialect.delimiter)
            if isinstance(fields, Problem) or len(fields) < 2:
                continue
            names = column_names(fields)
            if len(set(names)) == len(names) and not any(map(looks_like_data, names)):
                return names
        first = next(message for message in self.messages if message.value())
        raise UsageError(
            f"{visible(self.topic)}, partition {first.partition()}, offset {first.offset()}: "
            f"'{visible(first.value()[:60].decode(errors='backslashreplace'), 40)}' is no JSON "
            "object and names no columns; where messages are lines of CSV, name their columns: "
            "--columns time,a,b,label"
        )

    def _sample(self, format_: Format) -> Table:
        rows = [
            MessageRow(m.partition(), m.offset(), format_.read(m.value()), 0, 0.0)
            for m in self.messages[:SAMPLE]
        ]
        return format_.table(rows, self.topic)


def _is_nested(values: list[Any]) -> bool:
    """Whether most of the values that are there are lists or objects."""
    there = [isinstance(value, dict | list) for value in values if value is not None]
    return 2 * sum(there) > len(there)
