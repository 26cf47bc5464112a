"""What needs no cluster: addresses, messages, and partitions as one sequence."""

import json
import re

import pytest

from macro_engine.core.errors import UsageError
from macro_engine.stream.formats.dialect import Dialect
from macro_engine.stream.infer import infer
from macro_engine.stream.live.kafka.address import Address
from macro_engine.stream.live.kafka.merge import HOLD, MOST_ROWS, PATIENCE, Merge, Queue
from macro_engine.stream.live.kafka.messages import CsvFormat, JsonFormat, MessageRow
from macro_engine.stream.source import origin_of
from macro_engine.stream.table import Problem


def test_an_address_has_brokers_and_a_topic(tmp_path):
    properties = tmp_path / "client.properties"
    properties.write_text("# of the cluster\n\nsecurity.protocol = SASL_SSL\nsasl.password=a=b\n")
    found = Address.parse(f"//one:9092,two/flights.v1?config={properties}")
    assert (found.brokers, found.topic) == ("one:9092,two", "flights.v1")
    assert found.properties == {"security.protocol": "SASL_SSL", "sasl.password": "a=b"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("//host:9092", "brokers and a topic are expected"),
        ("//host:9092/", "is not the name of a topic"),
        ("///flights", "brokers and a topic are expected"),
        ("host/flights", "brokers and a topic are expected"),
        ("//host/a/b", "'a/b' is not the name of a topic"),
        ("//host/fl\x1bights", "fl\\x1bights"),
        ("//a, b/flights", "brokers and a topic are expected"),
        ("//host/flights?group=me", "'group' is not known; ?config=client.properties"),
        ("//host/flights?config=none.properties", "none.properties cannot be read: No such file"),
    ],
)
def test_an_address_that_is_none_is_refused_with_the_form(text, words):
    with pytest.raises(UsageError, match=re.escape(words)):
        Address.parse(text)


@pytest.mark.parametrize(
    ("line", "words"), [("nothing", "line 1: name=value"), ("group.id=x", "'group.id' is set by")]
)
def test_properties_that_cannot_be_used_are_named_with_their_line(tmp_path, line, words):
    (tmp_path / "p").write_text(line)
    with pytest.raises(UsageError, match=words):
        Address.parse(f"//host/t?config={tmp_path / 'p'}")


def test_without_the_package_one_line_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(UsageError, match=r"needs confluent-kafka; install it with: .*install"):
        origin_of("kafka://host/topic")


JSON = JsonFormat(["a", "b", "late"], ["late", "a"])


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        ({"late": "yes", "a": "1"}, ["yes", "1"]),
        ({"late": True, "a": 1.50, "more": [1]}, ["true", "1.5"]),
        ({"a": None, "late": 0}, ["0", ""]),
        ({"late": "no"}, ["no", ""]),
    ],
)
def test_a_json_message_gives_the_texts_of_the_columns_that_are_needed(value, fields):
    assert JSON.read(json.dumps(value).encode()) == fields


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "has no value (a tombstone)"),
        (b"", "is empty"),
        (b"{'a': 1}", "is not JSON"),
        (b"[1, 2]", "is not a JSON object"),
        (b'{"a": 1', "is not JSON"),
        (b'{"a": "\xff"}', "is not UTF-8 (byte 0xff)"),
        (b'{"a": {"x": 1}, "late": "no"}', "is a list or an object in 'a'"),
        (b'{"other": 1}', "has none of the columns"),
        (b'{"a": "\\ud800", "late": "no"}', "holds half a character"),
        (b"x" * ((1 << 24) + 1), "is longer than 16 MB"),
        (b"[" * 100_000, "is not JSON"),
        (b"\x1b[2J\x00", "is not JSON"),
    ],
    ids=lambda value: str(value and value[:20]),
)
def test_a_message_that_is_no_row_says_why(value, words):
    problem = JSON.read(value)
    assert isinstance(problem, Problem)
    assert words in str(problem)
    assert str(problem).isprintable()
    assert len(str(problem)) < 200


def test_a_csv_message_is_a_line_of_values():
    made = CsvFormat(["a", "b", "late"], ["late", "a"], Dialect(";", ","))
    assert made.read(b"1,5;x;yes\r\n") == ["yes", "1,5"]
    assert made.read('2;"x;y";nö'.encode()) == ["nö", "2"]
    assert made.read(b"a;b;late") is None
    assert "2 fields, the header has 3" in str(made.read(b"1;2"))
    assert "has several lines" in str(made.read(b"1;2;3\n4;5;6"))
    assert "opens a quote" in str(made.read(b'1;"2;3'))
    assert "is not UTF-8" in str(made.read(b"1;2;\xff"))


def test_a_table_says_where_rows_and_what_is_none_stood():
    rows = [
        MessageRow(1, 7, ["no", "1"], 0, 0.0),
        MessageRow(0, 3, Problem("is empty"), 0, 0.0),
        MessageRow(0, 4, None, 0, 0.0),
        MessageRow(0, 5, ["yes", "2"], 0, 0.0),
    ]
    table = JSON.table(rows, "flights")
    assert table.columns["late"].texts() == ["no", "yes"]
    assert (table.lines.tolist(), table.partitions.tolist()) == ([7, 5], [1, 0])
    assert [str(broken) for broken in table.broken] == ["flights, partition 0, offset 3: is empty"]
    assert table.good_before.tolist() == [1]
    assert len(JSON.table([], "flights")) == 0


@pytest.mark.parametrize(("second", "remarks"), [(0, 1), (1, 0)])
def test_times_run_backwards_within_a_partition_only(second, remarks):
    """Several are merged by their times, whatever order the first messages came in."""
    times = [
        (p, f"2026-01-01 {h:02}:00") for p, hours in ((0, (1, 3)), (second, (2,))) for h in hours
    ]
    rows = [MessageRow(p, i, [time, "no"], 0, 0.0) for i, (p, time) in enumerate(times)]
    made = JsonFormat(["when", "late"], ["when", "late"], ".")
    said = infer(made.table(rows, "flights"), {"time": "when", "label": "late"}).remarks
    assert len([remark for remark in said if "run backwards" in remark]) == remarks


class Partitions:
    """Queues that are filled by hand."""

    def __init__(self, count=3):
        self.said = []
        self.merge = Merge(self.said.append)
        self.merge.queues = {p: Queue(0) for p in range(count)}

    def come(self, p, *keys, at=0.0):
        first = self.merge.queues[p].next
        self.merge.queues[p].take(
            [MessageRow(p, first + i, [], 1, at, key) for i, key in enumerate(keys)]
        )

    def end(self, *partitions):
        for p in partitions:
            self.merge.queues[p].is_at_end = True

    def given(self, now=0.0, most=100_000):
        return [(row.partition, row.key) for row in self.merge.release(now, most)]


def test_one_partition_is_given_out_as_it_comes():
    one = Partitions(1)
    one.come(0, 5, 3, 9)
    assert one.given() == [(0, 5), (0, 3), (0, 9)]
    assert one.merge.queues[0].first == 3


def test_rows_go_out_by_time_as_long_as_every_partition_has_one():
    three = Partitions()
    three.come(0, 1, 4, 7)
    three.come(1, 2, 5)
    three.come(2, 3, 4)
    assert three.given() == [(0, 1), (1, 2), (2, 3), (0, 4), (2, 4)]
    assert [queue.first for queue in three.merge.queues.values()] == [2, 1, 2]


@pytest.mark.parametrize("partitions", [1, 3])
def test_no_more_rows_are_given_out_than_asked_for(partitions):
    some = Partitions(partitions)
    for p in range(partitions):
        some.come(p, *range(p, 12, partitions))
    given = [some.given(most=4) for _ in range(2)]
    assert [[key for _, key in rows] for rows in given] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert sum(queue.first for queue in some.merge.queues.values()) == 8


def test_a_partition_at_its_end_is_waited_for_for_a_moment():
    three = Partitions()
    three.come(0, 1, at=10.0)
    three.end(1, 2)
    assert three.given(10.0) == []
    three.come(1, 0, at=10.05)
    three.end(1)
    assert three.given(10.0 + HOLD) == []  # the earlier one came later
    assert three.given(10.1 + HOLD) == [(1, 0), (0, 1)]


def test_a_partition_that_should_have_more_is_waited_for_no_longer_than_said():
    three = Partitions()
    three.come(0, 1)
    three.end(1)
    assert three.given(1.0) == []
    assert three.given(PATIENCE) == []
    assert three.given(PATIENCE + 1.0) == [(0, 1)]
    assert three.said == [
        "partition 2 gives nothing for 10 s: continuing without; rows that come later may be late"
    ]
    three.come(0, 2, at=20.0)
    three.end(0, 1)
    assert three.given(21.0) == [(0, 2)]  # not waited for again
    three.come(2, 0, at=21.0)
    three.come(0, 3, at=21.0)
    assert three.given(22.0) == [(2, 0)]
    assert three.given(23.0) == []  # it gave something: it is waited for again
    assert len(three.said) == 1


def test_an_order_within_a_partition_stands_whatever_its_times():
    two = Partitions(2)
    two.come(0, 9, 1, 2)
    two.come(1, 3)
    two.end(0, 1)
    assert two.given(1.0) == [(1, 3), (0, 9), (0, 1), (0, 2)]


def test_a_partition_that_is_far_ahead_is_full():
    two = Partitions(2)
    two.come(0, *range(MOST_ROWS))
    assert two.merge.queues[0].is_full
    two.come(1, MOST_ROWS)
    assert len(two.given()) == MOST_ROWS
    assert not two.merge.queues[0].is_full
    assert two.merge.queues[0].bytes == 0
