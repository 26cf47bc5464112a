"""A Kafka cluster for tests: librdkafka's own mock cluster, with the faults that it can play.

Only what confluent-kafka does not wrap is called in the library itself: a topic with so many
partitions, brokers that go away, messages that retention deletes.
"""

from __future__ import annotations

import ctypes
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import confluent_kafka

_PRODUCER = 0


def _library() -> ctypes.CDLL:
    """The librdkafka that confluent-kafka has loaded."""
    package = Path(confluent_kafka.__file__).parent
    folders = [package.parent / "confluent_kafka.libs", package / ".dylibs"]
    found = [path for folder in folders for path in folder.glob("librdkafka*")]
    library = ctypes.CDLL(str(found[0]))
    pointer, text, whole = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int32
    for name, result, arguments in (
        ("rd_kafka_conf_new", pointer, []),
        ("rd_kafka_conf_set", whole, [pointer, text, text, text, ctypes.c_size_t]),
        ("rd_kafka_new", pointer, [whole, pointer, text, ctypes.c_size_t]),
        ("rd_kafka_destroy", None, [pointer]),
        ("rd_kafka_mock_cluster_new", pointer, [pointer, whole]),
        ("rd_kafka_mock_cluster_destroy", None, [pointer]),
        ("rd_kafka_mock_cluster_bootstraps", text, [pointer]),
        ("rd_kafka_mock_topic_create", whole, [pointer, text, whole, whole]),
        ("rd_kafka_mock_topic_set_error", None, [pointer, text, whole]),
        ("rd_kafka_mock_broker_set_down", whole, [pointer, whole]),
        ("rd_kafka_mock_broker_set_up", whole, [pointer, whole]),
        ("rd_kafka_mock_partition_set_leader", whole, [pointer, text, whole, whole]),
        (
            "rd_kafka_mock_partition_delete_records",
            whole,
            [pointer, text, whole, ctypes.c_int64],
        ),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class MockKafka:
    """A cluster in this process; other processes reach it too."""

    def __init__(self, brokers: int = 1) -> None:
        self.library = _library()
        error = ctypes.create_string_buffer(512)
        settings = self.library.rd_kafka_conf_new()
        self.library.rd_kafka_conf_set(settings, b"log_level", b"0", error, len(error))
        self.client = self.library.rd_kafka_new(_PRODUCER, settings, error, len(error))
        self.cluster = self.library.rd_kafka_mock_cluster_new(self.client, brokers)
        self.address = self.library.rd_kafka_mock_cluster_bootstraps(self.cluster).decode()
        self.producer = confluent_kafka.Producer(
            {"bootstrap.servers": self.address, "linger.ms": 1, "log_level": 0,
             "message.max.bytes": 30_000_000}
        )  # fmt: skip

    def make(self, topic: str, partitions: int = 1) -> None:
        failed = self.library.rd_kafka_mock_topic_create(
            self.cluster, topic.encode(), partitions, 1
        )
        assert not failed, failed

    def send(self, topic: str, values: Iterable[Any], partition: int = 0, **more: Any) -> None:
        """Messages of a partition: bytes as they are, None, or what JSON can say."""
        for value in values:
            data = value if value is None or isinstance(value, bytes) else json.dumps(value)
            while True:
                try:
                    self.producer.produce(topic, data, partition=partition, **more)
                    break
                except BufferError:
                    self.producer.poll(0.1)
        assert self.producer.flush(20) == 0

    def delete_before(self, topic: str, partition: int, offset: int) -> None:
        """What retention does."""
        failed = self.library.rd_kafka_mock_partition_delete_records(
            self.cluster, topic.encode(), partition, offset
        )
        assert not failed, failed

    def set_error(self, topic: str, code: int) -> None:
        """The error that metadata give for a topic; 3: there is none of this name."""
        self.library.rd_kafka_mock_topic_set_error(self.cluster, topic.encode(), code)

    def go_down(self) -> None:
        assert not self.library.rd_kafka_mock_broker_set_down(self.cluster, -1)

    def come_up(self) -> None:
        assert not self.library.rd_kafka_mock_broker_set_up(self.cluster, -1)

    def close(self) -> None:
        del self.producer
        self.library.rd_kafka_mock_cluster_destroy(self.cluster)
        self.library.rd_kafka_destroy(self.client)
