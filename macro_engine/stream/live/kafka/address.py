"""Parses `kafka://BROKERS/TOPIC`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qsl

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible

_FORM = "write kafka://HOST:9092/TOPIC, several brokers with commas between them"
_TOPIC = re.compile(r"[A-Za-z0-9._-]{1,249}")
_BROKERS = re.compile(r"[^\s,/]+(,[^\s,/]+)*")
# what reading every message once rests on
_OURS = frozenset(
    {
        "auto.offset.reset",
        "bootstrap.servers",
        "enable.auto.commit",
        "enable.auto.offset.store",
        "enable.partition.eof",
        "group.id",
        "metadata.broker.list",
    }
)


@dataclass(frozen=True)
class Address:
    """The brokers to ask first, the topic, and librdkafka's properties from a file of the user's.

    >>> Address.parse("//one:9092,two:9092/flights").topic
    'flights'
    """

    brokers: str
    topic: str
    properties: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def parse(text: str) -> Address:
        """Read what follows `kafka:`."""
        whole, _, query = text.partition("?")
        brokers, slash, topic = whole.removeprefix("//").partition("/")
        if not (text.startswith("//") and slash and _BROKERS.fullmatch(brokers)):
            raise UsageError(f"kafka:{visible(text)}: brokers and a topic are expected; {_FORM}")
        if not _TOPIC.fullmatch(topic) or topic in (".", ".."):
            raise UsageError(
                f"kafka:{visible(text)}: '{visible(topic)}' is not the name of a topic (letters, "
                f"digits and . _ - are allowed); {_FORM}"
            )
        properties: dict[str, str] = {}
        for name, value in parse_qsl(query, keep_blank_values=True):
            if name != "config":
                raise UsageError(
                    f"kafka:{visible(text)}: '{visible(name)}' is not known; "
                    "?config=client.properties names a file of librdkafka's properties"
                )
            properties |= _properties(Path(value))
        return Address(brokers, topic, properties)


def _properties(path: Path) -> dict[str, str]:
    """The `name=value` lines of a file, such as those of sasl and ssl."""
    try:
        lines = path.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise UsageError(f"{visible(path)} cannot be read: {visible(why)}") from None
    found = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, equals, value = line.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"{visible(path)}, line {number}: name=value is expected")
        if name in _OURS:
            raise UsageError(
                f"{visible(path)}, line {number}: '{name}' is set by this program; leave it out"
            )
        found[name] = value.strip()
    return found
