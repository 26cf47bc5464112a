"""Clean text is cut into columns at once: to the same rows and problems as by the parser."""

import math
from contextlib import contextmanager
from itertools import pairwise, product

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from macro_engine.core.errors import MacroError
from macro_engine.stream.formats import clean_text, csv
from macro_engine.stream.formats.clean_text import cut
from macro_engine.stream.formats.csv import CsvFile
from macro_engine.stream.formats.dialect import Dialect
from macro_engine.stream.formats.parquet import SeriesColumn
from macro_engine.stream.formats.string_column import StringColumn
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.label import parse_label
from macro_engine.stream.live import live_text
from macro_engine.stream.live.live_text import CsvColumns, LiveText
from macro_engine.stream.reader import Reader
from macro_engine.stream.recording import Recording
from macro_engine.stream.spec import StepLength, StreamSpec
from macro_engine.stream.table import Rejections
from macro_engine.stream.times import time_reader

NAMES = ["t", "a", "c", "y"]
ODD_NUMBERS = [
    "1_000", " 1", "1 ", "\t2\x0b", "+1", "-0", "1e5", "1E+5", "0x10", "Infinity", "-inf", "nan", "NaN",
    "1,5", "1.5", "1.234,5", "\u0663", "\uff11\uff12", "007", "1e400", "-1e400", "1e-400", "4.9e-324", "1.", ".5", ".", "",
    "NA", "None", "null", "1e", "--1", "1 2", "\x1c1", "\xa01", "9" * 400, "0." + "0" * 400 + "1", "1\0",
    "179769313486231580793" + "0" * 288, "9007199254740993", "0.1000000000000000055511151231257827021",
]  # fmt: skip
ODD_TIMES = [
    "2024-01-01", "2024-01-01T00:03", "2024-01-01 00:03:59", "2024-01-01T00:03:59.123",
    "2024-01-01T00:03:59.123456", "2024-01-01T00:03Z", "2024-01-01T00:03:59+02:00", "2024-02-30T00:00",
    "2024-01-01T24:00", "2024-01-01T23:59:60", "0000-01-01T00:00", "0001-01-01T00:00", "9999-12-31T23:59",
    "2023-02-29", "2024-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "20240101", "2024-W01-1", "+024-01-01",
    "2024-01-01x00:03", "2024-1-001", "1205492520", "1205492520000", "-5", "+7", "1_000", "1205492520.5", "",
    "9" * 19, "\uff19999-01-01", "-" + "9" * 12, "99999999999999", " 2024-01-01",
]  # fmt: skip

numbers = st.one_of(
    st.sampled_from(ODD_NUMBERS),
    st.floats().map(repr),
    st.integers().map(str),
    st.text("0123456789+-.eE_ ,", max_size=8),
)
times = st.one_of(
    st.sampled_from(ODD_TIMES),
    st.datetimes().map(str),
    st.datetimes().map(lambda time: time.isoformat()[:16]),
    st.integers(-(10**18), 10**18).map(str),
)
words = st.one_of(
    st.sampled_from(["x", " x ", "ü", "#x", "\x1b[1m", "\u202e", "\u2028", "\ufeff", "\0", "", "nan"]),
    st.text(max_size=6),
)  # fmt: skip


def same(one, other):
    """Whether values and problems are the same, values to the last bit where there is no problem."""
    (found, problems), (expected, as_expected) = one, other
    usable = [i for i in range(len(expected)) if i not in as_expected]
    return (
        problems == as_expected
        and list(problems) == list(as_expected)
        and np.array_equal(found[usable].view(np.int64), expected[usable].view(np.int64))
    )


@pytest.mark.slow
@given(st.lists(numbers, max_size=12), st.sampled_from(".,"))
@settings(deadline=None)
@example(ODD_NUMBERS, ".")
@example(ODD_NUMBERS, ",")
def test_numbers_are_those_of_the_exact_column(texts, decimal):
    column = StringColumn(pl.Series(texts, dtype=pl.String), decimal)
    assert same(column.numbers(), TextColumn(texts, decimal).numbers())


@pytest.mark.slow
@given(st.lists(numbers, min_size=1, max_size=12))
@settings(deadline=None)
@example(ODD_NUMBERS)
def test_numbers_cut_at_once_are_those_of_the_exact_column(texts):
    for some in (texts, *([text] for text in texts)):
        frame = cut([f"{text}|x\n".encode() for text in some], "|", 2, [1, 0], [0])
        assert same(csv.column_of(frame["0"], ".").numbers(), TextColumn(some).numbers())


def cast(texts):
    return pl.Series(texts).cast(pl.Float64, strict=False)


def cut_as_numbers(texts):
    lines = "".join(f"{text}|x\n" for text in texts)
    return clean_text._read(f"0|1\n{lines}".encode(), "|", ["0", "1"], [0], [0])["0"]


@pytest.mark.parametrize("read_by_polars", [cast, cut_as_numbers])
def test_whatever_polars_reads_python_reads_as_the_same_number(read_by_polars):
    texts = ["".join(some) for n in range(5) for some in product("019+-.eE_ ", repeat=n)]
    found = read_by_polars(texts).to_list()
    read = [(text, value) for text, value in zip(texts, found, strict=True) if value is not None]
    assert len(read) > 600
    assert all(float(text) == value and "_" not in text for text, value in read)
    signs = [math.copysign(1.0, float(text)) == math.copysign(1.0, value) for text, value in read]
    assert all(signs)


@pytest.mark.parametrize("first", ["2024-01-01", "1205492520", "1205492520000", "1" * 16, "1" * 19])
@given(texts=st.lists(times, max_size=12))
@settings(deadline=None, max_examples=10)
@example(texts=ODD_TIMES)
def test_times_are_those_of_the_exact_column(first, texts):
    reader = time_reader([first])
    # several of one shape, so that this shape is that of most; then one date after itself
    twice = [text for text in texts for _ in range(2)]
    for some in (texts, texts * 2 + [text[:16] for text in texts], twice):
        column = StringColumn(pl.Series(some, dtype=pl.String))
        assert same(column.times(reader), TextColumn(some).times(reader))


@pytest.mark.parametrize("text", ODD_TIMES)
def test_a_time_is_that_of_the_exact_column_when_all_have_its_shape(text):
    reader = time_reader(["2024-01-01"])
    column = StringColumn(pl.Series([text] * 3))
    assert same(column.times(reader), TextColumn([text] * 3).times(reader))


@pytest.mark.parametrize(
    "text",
    [
        b'1,"2",3\n', b"1,2\n1,2,3,4\n", b"1,2,3\n\n", b"1,2\r,3\n", b"1,2,3\r\r\n", b"1,\xff,3\n", b"\n", b"",
        b"1,2,3\r4\n",
    ],
)  # fmt: skip
def test_text_that_is_not_clean_is_left_to_the_parser(text):
    assert cut([text], ",", 3, [0]) is None


@pytest.mark.parametrize("first", [b"\xef\xbb\xbf1", b"x^", b"x\x01", b"#", b"\0", b"PAR1", b" "])
def test_the_first_bytes_have_no_meaning_of_their_own(first):
    assert cut([first + b",2\n"], ",", 2, [1, 0]).row(0) == (first.decode(), "2")


ODD_LINES = [
    "", "\r", "   ", "x", ",", ",,", ",,,", ",,,,", '"', "# a comment", '1,"2",x,p', '"1,2', "1,2,x\ry,p",
    "1,2,x,p\r", "t,a,c,y", "y,c,a,t", "\0\0",
]  # fmt: skip


@st.composite
def made_files(draw):
    """Mostly clean files, with their delimiter."""
    delimiter = draw(st.sampled_from(",;|\t"))
    clean = st.tuples(times, numbers, words, st.sampled_from("pq")).map(delimiter.join)
    odd = st.sampled_from(ODD_LINES).map(lambda line: line.replace(",", delimiter))
    line = st.one_of(clean, clean, clean, odd).map(str.encode) | st.binary(max_size=9)
    first = ["t,a,c,y".replace(",", delimiter).encode(), b"x"]
    end = draw(st.sampled_from([b"\n", b"\r\n"]))
    data = end.join([*first, *draw(st.lists(line, max_size=25))])
    bom = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return bom + data + draw(st.sampled_from([b"", end, end * 2])), delimiter


files = made_files()


SPEC = StreamSpec(
    label=parse_label("y == 'p'", NAMES),
    features=("a",),
    categorical=("c",),
    time="t",
    time_format=None,
    classes=None,
    bounds={"a": (0.0, 9.0)},
    every=StepLength.parse("1m"),
    scale="unit",
    reject_late=False,
)


def read(column):
    """All that can be asked of a column; values are arbitrary where there is a problem."""
    found = [column.texts(), column.has_values()]
    for values, problems in (column.numbers(), column.times(column.time_reader(None))):
        values[list(problems)] = 0
        found += [values.tobytes(), list(problems.items())]
    return found


def tables_of(file, at=None):
    return [
        (table.lines.tolist(), table.broken, table.end, list(map(read, table.columns.values())))
        for table in file.tables(["y", "a", "t"], at)  # some, in another order
    ]


def run(file):
    """The rows that a recording makes of a file, what they were rejected for, and its state."""
    rejections = Rejections()
    file.numeric = set(SPEC.numeric)
    recording = Reader(Recording([file], SPEC.columns), SPEC, rejections)
    rows, failure = [], None
    try:
        for block in recording.blocks():
            rows += zip(block.times, block.rows.numbers[:, 0], block.rows.slots[:, 0], strict=True)
    except MacroError as error:  # none of the rows can be used
        failure = str(error)
    return rows, failure, rejections.first, rejections.reasons, recording.encoder.columns.slots


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Writes a file and opens it."""
    path = tmp_path_factory.mktemp("clean") / "data.csv"

    def write(data, delimiter, decimal):
        path.write_bytes(delimiter.join(NAMES).encode())
        file = CsvFile(path, delimiter, decimal)  # which refuses NUL bytes near the start
        path.write_bytes(data)
        return file

    return write


@contextmanager
def read_by(chunk, piece, at_once=True):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv, "CHUNK", chunk)
        patch.setattr(csv, "PIECE", piece)
        if not at_once:
            patch.setattr(csv, "cut", lambda *_: None)
        yield


@pytest.mark.slow
@given(files, st.sampled_from(".,"), st.sampled_from([32, 256, 1 << 18]))
@settings(deadline=None, max_examples=200)
def test_tables_are_those_of_the_parser(written, file, decimal, size):
    opened = written(*file, decimal)
    with read_by(size, size):
        found = tables_of(opened)
    with read_by(size, size, at_once=False):
        assert found == tables_of(opened)


@pytest.mark.slow
@given(files, st.sampled_from([(64, 16), (512, 64)]))
@settings(deadline=None, max_examples=150)
def test_rows_and_rejections_are_those_of_the_parser_however_the_file_is_cut(written, file, sizes):
    opened = written(*file, ".")
    with read_by(*sizes):
        found = run(opened)
    with read_by(*sizes, at_once=False):
        assert found == run(opened)


@pytest.mark.slow
@given(files)
@settings(deadline=None, max_examples=100)
@example(
    (b"t,a,c,y\nx\n" + b"2024-01-01,1,x,pp\n" * 2 + b"1" * 78 + b",,,\n" + b"1,2,3,4\n" * 9, ",")
)
def test_from_each_position_on_the_same_tables_come_again(written, file):
    opened = written(*file, ".")
    with read_by(128, 32):
        found = tables_of(opened)
        for i, (_lines, _broken, end, _columns) in enumerate(found):
            assert tables_of(opened, end) == found[i + 1 :]


@pytest.mark.slow
@given(files, st.lists(st.integers(0, 1500), max_size=4).map(sorted))
@settings(deadline=None, max_examples=150)
def test_a_backlog_of_live_text_is_read_as_the_parser_reads_it(file, cuts):
    data, delimiter = file

    def taken():
        said, tables = [], []
        text = LiveText("live", CsvColumns(Dialect(delimiter), NAMES, NAMES[1:]), said.append)
        for start, stop in pairwise([0, *cuts, len(data)]):
            tables += text.take(data[start:stop])
        tables += text.finish()
        lines = [line for table in tables for line in table.lines.tolist()]
        columns = [[read(table.columns[name])[0] for table in tables] for name in NAMES[1:]]
        texts = [[text for some in column for text in some] for column in columns]
        broken = [broken for table in tables for broken in table.broken]
        return lines, texts, broken, said, text.position()

    with pytest.MonkeyPatch.context() as patch:
        expected = taken()
        patch.setattr(live_text, "_LARGE", 0)
        assert taken() == expected


def test_columns_are_read_as_numbers_until_something_else_is_found(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b,y\n" + "1,2,p\n" * 20 + "1,?,p\n" + "1,2,p\n" * 20)
    file = CsvFile(path)
    file.numeric = {"a", "b"}
    with read_by(60, 60):
        tables = list(file.tables(["a", "b", "y"]))
    kinds = [[type(table.columns[name]) for table in tables] for name in "ab"]
    assert kinds == [[SeriesColumn] * 5, [*[SeriesColumn] * 2, *[StringColumn] * 3]]
    assert file.numeric == {"a"}


def test_a_header_amid_a_clean_backlog_is_one():
    said = []
    text = LiveText("live", CsvColumns(Dialect(), NAMES, ["c", "y"]), said.append)
    first, second = b"2024-01-01,1,x,p\n" * 4_000, b"q,z,2,2024-01-01\n" * 4_000
    tables = text.take(b"t,a,c,y\n" + first + b"y,c,a,t\n" + second)
    assert [set(table.columns["c"].texts()) for table in tables] == [{"x"}, {"z"}]
    assert said == ["line 4002: the columns are in another order from here on: y, c, a, t"]
