"""The first messages of a topic, and the source that follows them."""

from __future__ import annotations

from pathlib import Path

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.options.settings import Settings
from macro_engine.stream.encode import SAMPLE
from macro_engine.stream.formats.dialect import Dialect
from macro_engine.stream.live.kafka.address import Address
from macro_engine.stream.live.kafka.client import Client, NoTopicError, UnansweredError
from macro_engine.stream.live.kafka.first_messages import FirstMessages
from macro_engine.stream.live.kafka.messages import CSV, JSON
from macro_engine.stream.live.kafka.source import KafkaSource, made_format
from macro_engine.stream.source import Beginning, Origin, Say, Source, StreamRequest, Wait
from macro_engine.stream.spec import StreamSpec


class TopicOrigin(Origin):
    """A topic of a Kafka cluster."""

    def __init__(self, asked: StreamRequest) -> None:
        self.address = Address.parse(asked.text)
        self.path = Path(self.address.topic)
        self.from_now = asked.from_now
        self.client = Client(self.address)
        self.offsets: dict[int, int] = {}  # where to begin

    def await_it(self, wait: Wait) -> None:
        while not self._partitions(wait):
            pass

    def begin(self, settings: Settings, wait: Wait) -> Beginning:
        _refuse(settings)
        ranges = self._ranges(wait)
        self.offsets = {p: high if self.from_now else low for p, (low, high) in ranges.items()}
        looked_at = {
            p: max(low, high - SAMPLE) if self.from_now else low
            for p, (low, high) in ranges.items()
        }
        return FirstMessages(self.client, settings, wait, looked_at).read()

    def connect(self, names: list[str], spec: StreamSpec, settings: Settings, say: Say) -> Source:
        delimiter = settings.get("delimiter")
        kind = JSON if delimiter is None else CSV
        spec.check(names, self.path)
        dialect = Dialect(delimiter or ",", settings.get("decimal") or ".")
        format_ = made_format(kind, names, spec.columns, dialect)
        return KafkaSource(self.client, spec, format_, self.offsets, say)

    def _partitions(self, wait: Wait) -> list[int]:
        """The partitions of the topic; none, after a moment, if nobody can tell yet."""
        self.client.consumer.poll(0)  # to hear why nobody answers
        try:
            return self.client.partitions()[0]
        except UnansweredError as error:
            where = visible(self.address.brokers, 60)
            self.client.consumer.poll(0)
            wait(f"no broker answers at {where}, {error}: waiting")
        except NoTopicError as error:
            wait(f"{error}: waiting for it")
        return []

    def _ranges(self, wait: Wait) -> dict[int, tuple[int, int]]:
        """The first and last offset of each partition."""
        found: dict[int, tuple[int, int]] = {}
        while True:
            partitions = self._partitions(wait)
            try:
                for p in partitions:
                    if p not in found:
                        found[p] = self.client.range_of(p)
            except UnansweredError as error:
                wait(f"partition {p} cannot be read yet ({error}): waiting")
                continue
            if partitions:
                return found


def _refuse(settings: Settings) -> None:
    """Refuse options that mean nothing here."""
    if settings.get("encoding") is not None:
        raise UsageError("--encoding: messages are read as UTF-8; leave the option out")
    if settings.get("sort"):
        raise UsageError("--sort: a live stream cannot be sorted; leave the option out")
