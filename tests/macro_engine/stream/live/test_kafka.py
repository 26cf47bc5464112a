"""A topic of librdkafka's mock cluster as a source: what an operator may meet."""

import time
from datetime import datetime, timedelta

import pytest
from busy import within
from extras import needs_kafka

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.state import DamagedError
from macro_engine.options.settings import Layer
from macro_engine.stream.live.kafka import merge
from macro_engine.stream.opening import open_stream
from macro_engine.stream.source import origin_of
from macro_engine.stream.table import Rejections

pytestmark = needs_kafka

SETTINGS = {
    "time": "when", "label": "late", "features": "a", "categorical": "place", "classes": "no,yes",
    "every": "10", "strategies": "ftl",
}  # fmt: skip
START = datetime(2024, 1, 1)


def row(i, **more):
    when = (START + timedelta(minutes=i)).isoformat()
    return {
        "when": when,
        "a": i * 7 % 13,
        "place": "xyz"[i % 3],
        "late": "yes" if i % 4 else "no",
    } | more


@pytest.fixture(scope="module")
def cluster():
    from mock_kafka import MockKafka

    made = MockKafka()
    yield made
    made.close()


class Tail:
    """Reads a topic by hand."""

    def __init__(self, cluster, topic, position=None, from_now=False, wait=None, **settings):
        self.waits, self.said = [], []
        values = {n: v for n, v in (SETTINGS | settings).items() if v is not None}
        origin = origin_of(f"kafka://{cluster.address}/{topic}", from_now)
        opened = open_stream(
            origin, [Layer.read("test", values, of_user=True)], wait=wait or self._wait
        )
        self.opened = opened
        self.rejections = Rejections()
        self.reader = opened.reader(self.rejections, say=self.said.append)
        self.source = self.reader.source
        if position is not None:
            self.source.restore(position)
        self.offsets = []  # partition and offset of each row that was given out

    def _wait(self, why):
        self.waits.append(why)
        time.sleep(0.02)

    def until(self, is_done, seconds=15.0):
        """Poll until something holds."""
        end = time.monotonic() + seconds
        while not is_done():
            assert time.monotonic() < end, (len(self.offsets), self.said, self.source.trouble)
            for table in self.source.poll():
                places = zip(table.partitions.tolist(), table.lines.tolist(), strict=True)
                self.offsets += places
                self.reader.encoder.take(table)
            time.sleep(0.01)
        return self

    def rows(self, count):
        return self.until(lambda: len(self.offsets) >= count)

    def close(self):
        self.source.close()


@pytest.fixture
def tail(cluster):
    made = []

    def open_tail(*arguments, **settings):
        made.append(Tail(cluster, *arguments, **settings))
        return made[-1]

    yield open_tail
    for one in made:
        one.close()


def test_one_partition_gives_its_order_and_tells_how_far_behind_it_is(cluster, tail):
    cluster.make("order")
    cluster.send("order", map(row, range(300)))
    found = tail("order").rows(300)
    assert found.offsets == [(0, i) for i in range(300)]
    assert found.opened.names == ["when", "a", "place", "late"]
    found.until(lambda: found.source.behind == 0)
    assert found.source.position()["partitions"] == [{"partition": 0, "offset": 300}]


def test_a_position_is_gone_on_from_without_a_gap_and_without_a_row_twice(cluster, tail):
    cluster.make("again")
    cluster.send("again", map(row, range(100)))
    first = tail("again").rows(100)
    position = first.source.position()
    first.close()
    cluster.send("again", map(row, range(100, 150)))
    assert tail("again", position).rows(50).offsets == [(0, i) for i in range(100, 150)]


def test_several_partitions_come_in_the_order_of_their_times(cluster, tail):
    cluster.make("many", 3)
    for p in range(3):
        cluster.send("many", map(row, range(p, 600, 3)), partition=p)
    found = tail("many").rows(600)
    assert found.offsets == [(i % 3, i // 3) for i in range(600)]


def test_what_was_received_and_not_given_out_is_not_behind_the_position(cluster, tail):
    cluster.make("held", 2)
    cluster.send("held", map(row, range(0, 100, 2)), partition=0)
    cluster.send("held", [row(21)], partition=1)
    cluster.delete_before("held", 1, 1)  # nothing is there: rows of the other wait for a moment
    found = tail("held")
    found.until(lambda: found.source.merge.waiting > 0)
    positions = found.source.position()["partitions"]
    assert positions == [{"partition": 0, "offset": 0}, {"partition": 1, "offset": 1}]
    found.rows(50)
    assert found.source.position()["partitions"][0]["offset"] == 50


def test_without_a_time_column_partitions_are_merged_by_kafkas_own_times(cluster, tail):
    cluster.make("stamps", 2)
    for i in range(40):
        cluster.send("stamps", [row(0)], partition=i % 2, timestamp=1_700_000_000_000 + i)
    found = tail("stamps", time="").rows(40)
    assert found.offsets == [(i % 2, i // 2) for i in range(40)]


def test_a_wrong_time_does_not_hold_up_its_partition(cluster, tail):
    cluster.make("clock", 2)
    odd = [row(0), row(2, when="2099-01-01"), row(4), row(6, when="never"), row(8)]
    cluster.send("clock", odd, partition=0)
    cluster.send("clock", map(row, (1, 3, 5, 7, 9)), partition=1)
    found = tail("clock").rows(10)
    assert found.offsets == [
        (0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3), (1, 2), (1, 3), (0, 4), (1, 4)
    ]  # fmt: skip


def test_what_is_no_row_is_rejected_with_partition_and_offset(cluster, tail):
    cluster.make("odd", 2)
    odd = [row(0), b"{no json", None, row(1, a={"x": 1}), row(2, late=None), b"\x1b[2J", row(3)]
    cluster.send("odd", odd, partition=1)
    found = tail("odd")
    found.until(lambda: found_all(found))
    rejected = [str(one) for one in found.rejections.first]
    assert rejected[0].startswith("odd, partition 1, offset 1: '{no json' is not JSON")
    assert rejected[1:3] == [
        "odd, partition 1, offset 2: has no value (a tombstone)",
        "odd, partition 1, offset 3: '{'x': '1'}' is a list or an object in 'a'; a plain value is "
        "expected",
    ]
    assert "odd, partition 1, offset 4, column 'late': is missing" in rejected
    assert all(text.isprintable() for text in rejected)
    assert found.source.position()["partitions"][1]["offset"] == 7


def found_all(tail):
    return tail.rejections.count == 5 and len(tail.offsets) == 3


def test_a_message_of_many_megabytes_is_rejected_and_passed(cluster, tail, monkeypatch):
    monkeypatch.setattr("macro_engine.stream.live.kafka.messages.LONGEST_FIELD", 1 << 16)
    cluster.make("huge")
    cluster.send("huge", [row(0), row(1, a="x" * (1 << 17)), row(2)])
    found = tail("huge").rows(2)
    assert [str(one) for one in found.rejections.first] == [
        "huge, partition 0, offset 1: is longer than 16 MB"
    ]


def test_messages_that_retention_deleted_are_an_event(cluster, tail):
    cluster.make("old")
    cluster.send("old", map(row, range(100)))
    position = tail("old").rows(100).source.position()
    cluster.send("old", map(row, range(100, 200)))
    cluster.delete_before("old", 0, 150)
    found = tail("old", position).rows(50)
    assert found.offsets == [(0, i) for i in range(150, 200)]
    assert found.said == [
        "old: partition 0: the messages from offset 100 to 149 were deleted before they were read: "
        "50 messages lost at most"
    ]


def test_a_topic_that_was_made_anew_is_an_event(cluster, tail):
    cluster.make("anew")
    cluster.send("anew", map(row, range(20)))
    position = tail("anew").rows(20).source.position()
    position["partitions"][0]["offset"] = 500
    found = tail("anew", position).rows(20)
    assert "partition 0 ends at offset 20 and was read up to 500" in found.said[0]


def test_gaps_between_offsets_are_none_of_the_streams(cluster, tail):
    cluster.make("gaps")
    cluster.send("gaps", map(row, range(10)))
    cluster.delete_before("gaps", 0, 4)
    found = tail("gaps").rows(6)
    assert found.offsets[0] == (0, 4)
    assert found.said == []


def test_from_now_leaves_out_what_is_there_and_learns_the_columns_from_it(cluster, tail):
    cluster.make("now")
    cluster.send("now", map(row, range(600)))
    found = tail("now", from_now=True, time=None, features=None, categorical=None)
    assert found.opened.spec.features == ("a",)
    found.source.poll()
    cluster.send("now", [row(600)])
    assert found.rows(1).offsets == [(0, 600)]


def test_an_unknown_topic_is_waited_for_by_name(cluster, tail):
    seen = []

    def wait(why):
        seen.append(why)
        if len(seen) == 2:
            cluster.make("late")
            cluster.send("late", [row(0)])

    tail("late", wait=wait)
    assert seen[0] == "there is no such topic: waiting for it"


@pytest.mark.slow
def test_a_broker_that_goes_away_is_a_state_and_comes_back():
    from mock_kafka import MockKafka

    own = MockKafka()
    own.make("away")
    own.send("away", map(row, range(10)))
    found = Tail(own, "away").rows(10)
    own.go_down()
    found.until(lambda: found.source.trouble is not None)
    assert found.source.trouble == "no broker answers (Connection refused)"
    assert found.reader.standing()[0] == "waiting"
    own.come_up()
    own.send("away", map(row, range(10, 20)))
    found.rows(20)
    assert found.source.trouble is None
    assert found.offsets == [(0, i) for i in range(20)]
    assert found.said == [
        "away: no broker answers (Connection refused), waiting",
        "away: can be read again",
    ]
    started = time.monotonic()
    own.go_down()
    found.close()
    assert time.monotonic() - started < within(1.0)
    own.close()


@pytest.mark.slow
def test_a_partition_that_is_added_is_read_from_its_beginning(cluster, tail, monkeypatch):
    monkeypatch.setattr("macro_engine.stream.live.kafka.cluster_poller._LOOK_SECONDS", 0.1)
    cluster.make("grows", 2)
    cluster.send("grows", map(row, range(0, 20, 2)), partition=0)
    cluster.send("grows", map(row, range(1, 20, 2)), partition=1)
    position = tail("grows").rows(20).source.position()
    position["partitions"].pop()  # as if there had been one
    found = tail("grows", position).rows(10)
    assert found.said == ["grows: partition 1 was added: reading it from its beginning"]
    assert sorted(found.offsets) == [(1, i) for i in range(10)]


def test_a_partition_that_gives_nothing_is_gone_on_without(cluster, tail, monkeypatch):
    monkeypatch.setattr(merge, "PATIENCE", 1.0)
    cluster.make("silent", 2)
    cluster.send("silent", map(row, range(10)))
    found = tail("silent")
    found.source.client.is_end = lambda _error: False  # its end is never heard of
    found.rows(10)
    assert found.said == [
        "silent: partition 1 gives nothing for 1 s: continuing without; rows that come later may be "
        "late"
    ]


@pytest.mark.parametrize("separator", [",", ";"])
def test_csv_messages_after_a_header(cluster, tail, separator):
    topic = f"csv{ord(separator)}"
    cluster.make(topic)
    lines = [separator.join(row(0))] + [
        separator.join(map(str, row(i).values())) for i in range(30)
    ]
    lines.insert(11, lines[0])  # it may come again
    cluster.send(topic, [line.encode() for line in lines])
    found = tail(topic).rows(30)
    assert found.opened.names == ["when", "a", "place", "late"]
    assert found.rejections.count == 0
    position = found.source.position()
    assert position["format"] == "csv"
    assert position["partitions"] == [{"partition": 0, "offset": 32}]


def test_csv_messages_without_a_header_need_their_columns(cluster, tail):
    cluster.make("bare")
    cluster.send("bare", [",".join(map(str, row(i).values())).encode() for i in range(30)])
    with pytest.raises(UsageError, match="name their columns: --columns time,a,b,label"):
        tail("bare")
    found = tail("bare", columns="when,a,place,late").rows(30)
    assert found.rejections.count == 0


def test_a_label_may_come_in_a_later_message(cluster, tail):
    cluster.make("later")
    cluster.send("later", [row(i, id=f"k{i}", late=None) for i in range(20)])
    cluster.send("later", [{"id": "k3", "late": "yes"}])
    found = tail("later", key="id").rows(21)
    assert found.rejections.count == 0


@pytest.mark.parametrize(
    ("message", "settings", "words"),
    [
        (row(0, nested=[1]), {"features": "nested"}, "holds lists or objects"),
        (b"\x00\x00\x00\x00\x01abc", {}, "Avro or Protobuf"),
        (row(0), {"columns": "a,b"}, "are JSON objects, which name their columns"),
        (row(0), {"encoding": "latin-1"}, "--encoding: messages are read as UTF-8"),
    ],
    ids=["nested", "binary", "columns", "encoding"],
)
def test_what_cannot_be_read_is_refused_in_words(cluster, tail, message, settings, words, request):
    topic = f"no-{request.node.callspec.id}"
    cluster.make(topic)
    cluster.send(topic, [message])
    with pytest.raises(MacroError, match=words):
        tail(topic, **settings)


def test_a_position_that_cannot_be_is_damaged(cluster, tail):
    cluster.make("damaged")
    cluster.send("damaged", [row(0)])
    found = tail("damaged")
    for change in (
        {"format": "xml"},
        {"names": ["a"]},
        {"partitions": [{"partition": 0, "offset": -1}]},
        {"partitions": [{"partition": 0}]},
        {"partitions": 3},
    ):
        with pytest.raises(DamagedError):
            found.source.restore(found.source.position() | change)
