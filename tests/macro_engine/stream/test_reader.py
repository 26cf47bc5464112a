"""A live stream in steps: what closes them, and what is no silence."""

import pytest
from made_files import append, rotate

from macro_engine.stream.formats.dialect import Dialect
from macro_engine.stream.label import parse_label
from macro_engine.stream.live.live_text import CsvColumns
from macro_engine.stream.live.tail import GRACE, TailSource
from macro_engine.stream.reader import Reader
from macro_engine.stream.spec import StepLength, StreamSpec
from macro_engine.stream.table import Rejections

HEADER = b"t,a,y\n"
NAMES = ["t", "a", "y"]
SPEC = StreamSpec(
    label=parse_label("y", NAMES),
    features=("a",),
    categorical=(),
    time="t",
    time_format=None,
    classes=("p", "q"),
    bounds={"a": (0.0, 9.0)},
    every=StepLength.parse("1s"),
    scale="unit",
    reject_late=False,
)


class Fed:
    """A reader of a growing file, with a clock of its own and what it said."""

    def __init__(self, path, close_after=1.0):
        self.now = 0.0
        self.path = path
        self.said = []
        path.write_bytes(HEADER)
        layout = CsvColumns(Dialect(), NAMES, NAMES)
        follower = TailSource(path, layout, self.said.append, clock=self.clock)
        self.reader = Reader(
            follower,
            SPEC,
            Rejections(),
            self.said.append,
            self.said.append,
            close_after,
            self.clock,
        )

    def clock(self):
        return self.now

    def poll(self, spent=0.0):
        """The rows of each step that was closed, if whoever takes a block spends some time on it."""
        lengths = []
        for block in self.reader.poll():
            lengths += (block.starts[1:] - block.starts[:-1]).tolist()
            self.now += spent
        return lengths


@pytest.fixture
def fed(tmp_path):
    fed = Fed(tmp_path / "live.csv")
    yield fed
    fed.reader.close()


def test_rows_that_wait_are_those_in_the_file_and_those_that_were_read_and_not_run(
    fed, monkeypatch
):
    source, tables = fed.reader.source, []
    for second in (1, 2, 3):
        append(fed.path, b"%d,1,p\n" % second * 100)
        tables += source.poll()
    monkeypatch.setattr(source, "poll", lambda: tables)
    source.behind = 50
    assert [fed.reader.behind for _ in fed.reader.poll()] == [150, 50]  # one step is open
    assert fed.reader.behind == 50


def test_silence_closes_the_open_step(fed):
    append(fed.path, b"0,1,p\n0,1,p\n")
    assert fed.poll() == []
    fed.now += 0.9
    assert fed.poll() == []
    fed.now += 0.1
    assert fed.poll() == [2]
    assert fed.said[-1] == "no rows for 1 s: step 0 is closed with 2 rows"


def test_the_time_that_a_block_takes_to_run_is_no_silence(fed):
    append(fed.path, b"0,1,p\n1,1,p\n2,1,p\n2,1,q\n")
    assert fed.poll(spent=30) == [1, 1]
    append(fed.path, b"2,1,p\n3,1,p\n")
    fed.now += 0.9
    assert fed.poll() == [3]


def test_the_second_that_a_renamed_file_is_given_is_no_silence(fed):
    append(fed.path, b"0,1,p\n")
    fed.poll()
    rotate(fed.path, HEADER + b"0,1,q\n1,1,q\n")
    for _ in range(5):
        fed.poll()
        fed.now += GRACE / 4
    assert fed.poll() == [2]
    assert not any("no rows" in text for text in fed.said)


def test_half_a_line_that_comes_is_no_silence(fed):
    append(fed.path, b"0,1,p\n")
    fed.poll()
    fed.now += 0.9
    append(fed.path, b"0,1")
    fed.poll()
    fed.now += 0.9
    assert fed.poll() == []
    append(fed.path, b",q\n")
    assert fed.poll() == []
    assert fed.reader.maker.open_rows == 2


def test_a_poll_gives_as_many_rows_as_are_run_in_a_moment(fed):
    append(fed.path, b"".join(b"%d,1,p\n" % i for i in range(30_000)))
    at_first = sum(fed.poll(spent=100.0))
    assert 0 < at_first < 3_000
    slow = [sum(fed.poll(spent=1.0)) for _ in range(3)]
    assert max(slow) < 100
    assert fed.reader.source.has_more
    fast = [sum(fed.poll()) for _ in range(20)]
    assert max(fast) > 5_000
    assert at_first + sum(slow) + sum(fast) == 30_000 - 1  # the last one is open


def test_a_line_longer_than_a_poll_is_read_in_a_few(fed):
    append(fed.path, b"0,1,p\n1,1,p\n")
    fed.poll(spent=100.0)
    append(fed.path, b'2,"' + b"1" * 100_000 + b'",p\n3,1,p\n4,1,p\n')
    steps, polls = 0, 0
    while steps < 2 and polls < 100:
        steps, polls = steps + len(fed.poll()), polls + 1
    assert polls < 20
