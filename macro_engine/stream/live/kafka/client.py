"""The connection to a Kafka cluster, over librdkafka's consumer.

librdkafka's own lines never reach the terminal, and no partition's offset is committed to a group.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.stream.live.kafka.address import Address

ANSWER_SECONDS = 1.0  # that a broker is given to answer
_ANSWER_WITHIN = 100  # ms that a broker without news, or a full queue, may delay the next request
_PREFETCHED = 16_384  # kB of messages of a partition that librdkafka holds
_REASON = re.compile(r"(?:.*failed: )?(?P<why>.*?)(?: \(after .*)?", re.DOTALL)
_NOBODY = "nobody answered"


class UnansweredError(Exception):
    """No broker answered in time; the message says why in a few words."""


class NoTopicError(Exception):
    """The brokers answer, and the topic cannot be read; the message says why in a few words."""


class Client:
    """One consumer, which joins no group.

    Parameters
    ----------
    alarmed
        Is called when librdkafka says that all brokers are away.
    """

    def __init__(self, address: Address, alarmed: Callable[[], None] = lambda: None) -> None:
        import confluent_kafka

        self.kafka: Any = confluent_kafka
        self.address = address
        self.alarmed = alarmed
        self.why = _NOBODY  # the brokers were last said to be away
        silent = logging.Logger("librdkafka")  # one of its own, which hands nothing on
        silent.addHandler(logging.NullHandler())
        settings = address.properties | {
            "bootstrap.servers": address.brokers,
            "group.id": "macro-tui",  # none is joined, but librdkafka asks for a name
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "auto.offset.reset": "error",
            "enable.partition.eof": True,
            "error_cb": self._error,
        }
        settings.setdefault("queued.max.messages.kbytes", str(_PREFETCHED))
        settings.setdefault("fetch.wait.max.ms", str(_ANSWER_WITHIN))
        settings.setdefault("fetch.queue.backoff.ms", str(_ANSWER_WITHIN))
        settings.setdefault("reconnect.backoff.max.ms", "1000")
        settings.setdefault("client.id", "macro-tui")
        try:
            self.consumer: Any = confluent_kafka.Consumer(settings, logger=silent)
        except confluent_kafka.KafkaException as error:
            why = visible(error.args[0].str(), 200)
            raise UsageError(f"kafka://{visible(address.brokers)}: {why}") from None

    def partitions(self) -> tuple[list[int], list[int]]:
        """The topic's partitions, and those of them that have no leader now."""
        topic = self.address.topic
        try:
            found = self.consumer.list_topics(topic, timeout=ANSWER_SECONDS).topics[topic]
        except self.kafka.KafkaException as error:
            raise self._unanswered(error) from None
        if found.error is not None:
            is_unknown = found.error.code() == self.kafka.KafkaError.UNKNOWN_TOPIC_OR_PART
            why = "there is no such topic" if is_unknown else visible(found.error.str(), 60)
            raise NoTopicError(why)
        if not found.partitions:
            raise NoTopicError("there is no such topic")
        headless = [p for p, about in found.partitions.items() if about.leader < 0]
        return sorted(found.partitions), sorted(headless)

    def range_of(self, partition: int) -> tuple[int, int]:
        """The offset of the first message of a partition, and that after its last one."""
        place = self.kafka.TopicPartition(self.address.topic, partition)
        try:
            low, high = self.consumer.get_watermark_offsets(place, timeout=ANSWER_SECONDS)
        except self.kafka.KafkaException as error:
            raise self._unanswered(error) from None
        return low, high

    def end_of(self, partition: int) -> int | None:
        """Returns the last known offset after the newest message, without a request."""
        place = self.kafka.TopicPartition(self.address.topic, partition)
        known = self.consumer.get_watermark_offsets(place, cached=True)
        return None if known is None or known[1] < 0 else int(known[1])

    def read_from(self, offsets: Mapping[int, int]) -> None:
        """Read these partitions from these offsets on, and no others."""
        self.consumer.assign(self._places(offsets))

    def read_also(self, partition: int, offset: int) -> None:
        """Read one more partition."""
        self.consumer.incremental_assign(self._places({partition: offset}))

    def read_again(self, partition: int, offset: int) -> None:
        """Read a partition from another offset on."""
        self.consumer.incremental_unassign(self._places({partition: offset}))
        self.read_also(partition, offset)

    def pause(self, partition: int) -> None:
        self.consumer.pause(self._places({partition: 0}))

    def resume(self, partition: int) -> None:
        self.consumer.resume(self._places({partition: 0}))

    def consume(self, most: int) -> Sequence[Any]:
        """The messages and errors that have come; it does not wait."""
        found: Sequence[Any] = self.consumer.consume(most, timeout=0)
        return found

    def is_end(self, error: Any) -> bool:
        return bool(error.code() == self.kafka.KafkaError._PARTITION_EOF)

    def is_out_of_range(self, error: Any) -> bool:
        codes = self.kafka.KafkaError
        return error.code() in (codes._AUTO_OFFSET_RESET, codes.OFFSET_OUT_OF_RANGE)

    def close(self) -> None:
        self.consumer.close()

    def _places(self, offsets: Mapping[int, int]) -> list[Any]:
        topic = self.address.topic
        return [self.kafka.TopicPartition(topic, p, offset) for p, offset in offsets.items()]

    def _unanswered(self, error: Any) -> UnansweredError:
        code, codes = error.args[0].code(), self.kafka.KafkaError
        if code not in (codes._TRANSPORT, codes._TIMED_OUT, codes._ALL_BROKERS_DOWN):
            return UnansweredError(visible(error.args[0].str(), 60))
        return UnansweredError(self.why)

    def _error(self, error: Any) -> None:
        """Called by librdkafka while messages are asked for."""
        codes = self.kafka.KafkaError
        if error.code() == codes._ALL_BROKERS_DOWN:
            self.alarmed()
        else:
            found = _REASON.fullmatch(error.str())
            self.why = visible((found["why"] if found else "") or error.name(), 60)
