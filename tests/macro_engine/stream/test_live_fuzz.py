"""Whatever bytes come, however cut: no crash, every good row counted, every bad one reported once."""

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from macro_engine.stream.block_maker import BlockMaker
from macro_engine.stream.formats.dialect import Dialect
from macro_engine.stream.label import parse_label
from macro_engine.stream.live.live_text import CsvColumns, LiveText
from macro_engine.stream.spec import StepLength, StreamSpec
from macro_engine.stream.table import Rejections

SPEC = StreamSpec(
    label=parse_label("y", ["t", "a", "c", "y"]),
    features=("a",),
    categorical=("c",),
    time="t",
    time_format=None,
    classes=("p", "q"),
    bounds={"a": (0.0, 9.0)},
    every=StepLength.parse("1m"),
    scale="unit",
    reject_late=False,
)
ORDERS = (["t", "a", "c", "y"], ["y", "c", "t", "a"], ["c", "a", "y", "t"])

# bytes without a newline, a quote, or a delimiter can be neither a row nor hide one
noise = st.binary(min_size=1, max_size=30).map(
    lambda data: bytes(b for b in data if b not in b'\n",') or b"?"
)
bad_lines = st.one_of(
    noise,
    st.sampled_from(
        [
            b"\x1b[2J\x1b]0;owned\x07",
            b"2024-01-01T00:00,1",
            b"2024-01-01T00:00,1,x,p,extra",
            b"2024-01-01T00:00,oops,x,p",
            b"when,1,x,p",
            b"2024-01-01T00:00,1,x,stranger",
            b"2024-01-01T00:00,1e999,x,p",
            b'2024-01-01T00:00,"1"2,x,p',
            b",,,",
            b"\xff\xfe\xfd,1,x,p",
            b"2024-01-01T00:00,1_000,x,p",
        ]
    ),
).filter(lambda line: line.strip(b"\0\r") != b"")
good_rows = st.tuples(
    st.integers(0, 59), st.integers(0, 9), st.sampled_from(["x", "ü", "\x1b[1m", "\u202e"]),
    st.sampled_from("pq"),
)  # fmt: skip
items = st.lists(
    st.one_of(
        good_rows.map(lambda row: ("good", row)),
        bad_lines.map(lambda line: ("bad", line)),
        st.sampled_from(ORDERS).map(lambda order: ("header", order)),
        st.integers(1, 50).map(lambda n: ("nuls", n)),
    ),
    max_size=40,
)


@given(items, st.lists(st.integers(0, 3000), max_size=12), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=150)
def test_every_good_row_is_counted_and_every_bad_one_reported_once(items, cuts, crlf, bom):
    order = ORDERS[0]
    end = b"\r\n" if crlf else b"\n"
    data = (b"\xef\xbb\xbf" if bom else b"") + ",".join(order).encode() + end
    good = bad = 0
    for kind, item in items:
        if kind == "good":
            minute, number, category, label = item
            row = {"t": f"2024-01-01T00:{minute:02}", "a": str(number), "c": category, "y": label}
            data += ",".join(row[name] for name in order).encode() + end
            good += 1
        elif kind == "bad":
            data += item + end
            bad += 1
        elif kind == "header":
            order = item
            data += ",".join(order).encode() + end
        else:
            data += bytes(item)
    rejections, said = Rejections(), []
    maker = BlockMaker(SPEC, rejections)
    text = LiveText("live.csv", CsvColumns(Dialect(), ORDERS[0], SPEC.columns), said.append)
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    if bom:
        places = [place for place in places if place not in (1, 2)]
    for start, stop in pairwise(places):
        position = text.position()
        assert position.fingerprint.byte <= start
        for table in text.take(data[start:stop]):
            list(maker.take(table))
    assert text.taken == len(data)
    assert maker.rows + maker.open_rows == good
    assert rejections.count == bad == len(rejections.first)
    lines = [rejection.line for rejection in rejections.first]
    assert len(set(lines)) == len(lines)
    for line in [*map(str, rejections.first), *said]:
        assert line.isprintable()


@given(st.lists(st.binary(max_size=200), max_size=10))
@settings(deadline=None, max_examples=150)
def test_random_bytes_are_survived_and_resumed(chunks):
    layout = CsvColumns(Dialect(), ORDERS[0], SPEC.columns)
    rejections = Rejections()
    maker = BlockMaker(SPEC, rejections)
    data = b""
    text = LiveText("live.csv", layout, lambda _text: None)
    for chunk in chunks:
        data += chunk
        for table in text.take(data[text.taken :] if text.taken else data):
            list(maker.take(table))
        position = text.position()
        text = LiveText("live.csv", layout, lambda _text: None, position)
    for table in [*text.take(data[text.taken :]), *text.abandon()]:
        list(maker.take(table))
    for rejection in rejections.first:
        assert str(rejection).isprintable()
