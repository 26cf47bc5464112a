"""The one CSV parser."""

import bz2
import csv
import gzip
import io
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.stream.formats.csv import CsvFile
from macro_engine.stream.formats.csv_parser import CsvParser, Record
from macro_engine.stream.formats.dialect import Dialect, sniff
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.opening import open_stream
from macro_engine.stream.table import Rejections


def parse(data, cuts=()):
    """Records of the bytes, fed in pieces."""
    parser = CsvParser(",")
    records = []
    start = 0
    for cut in sorted(cuts):
        records += parser.feed(data[start:cut])
        start = max(start, cut)
    return records + parser.feed(data[start:]) + parser.finish()


def fields(data, cuts=()):
    return [(r.line, r.fields) for r in parse(data, cuts) if r.problem is None]


def write(tmp_path, data, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


def read(path, columns):
    """All rows of a file, and its broken lines."""
    rows, broken = [], []
    for table in CsvFile(path).tables(columns):
        rows += list(zip(*(table.columns[c].texts() for c in columns), strict=True))
        broken += table.broken
    return rows, broken


def test_records_carry_the_number_of_their_first_line():
    assert fields(b'a,b\n"1\n2",3\n4,5\n') == [(1, ["a", "b"]), (2, ["1\n2", "3"]), (4, ["4", "5"])]


def test_crlf_blank_lines_and_a_missing_last_newline():
    assert fields(b"a,b\r\n\r\n1,2\r\n3,4") == [(1, ["a", "b"]), (3, ["1", "2"]), (4, ["3", "4"])]


def test_a_quote_inside_a_field_is_a_character():
    assert fields(b'a,b\n5" pipe,x\n') == [(1, ["a", "b"]), (2, ['5" pipe', "x"])]


def test_a_partial_line_waits_for_its_end():
    parser = CsvParser(",")
    assert [r.fields for r in parser.feed(b"1,2\n3,")] == [["1", "2"]]
    assert parser.feed(b"") == []
    assert [r.fields for r in parser.feed(b"4\n")] == [["3", "4"]]


def test_a_character_cut_in_two_is_put_together():
    data = "a,ü\n".encode()
    assert fields(data, cuts=[3]) == [(1, ["a", "ü"])]


def test_a_quote_that_is_never_closed_costs_one_line_only():
    records = parse(b'a,b\n"1,2\n3,4\n5,6\n')
    assert [(r.line, r.fields) for r in records if not r.problem] == [
        (1, ["a", "b"]),
        (3, ["3", "4"]),
        (4, ["5", "6"]),
    ]
    assert [(r.line, r.problem.kind) for r in records if r.problem] == [
        (2, "opens a quote that is not closed")
    ]


def test_three_rows_inside_quotes_show_that_the_quote_is_stray():
    parser = CsvParser(",", width=3)
    assert parser.feed(b'1,"p,q\n2,p,q\n3,p,q\n') == []
    records = parser.feed(b"4,p,q\n5,p")
    assert [(r.line, r.fields) for r in records] == [
        (1, []), (2, ["2", "p", "q"]), (3, ["3", "p", "q"]), (4, ["4", "p", "q"])
    ]  # fmt: skip
    assert records[0].problem.kind == "opens a quote that is not closed"


def test_lines_inside_quotes_that_have_the_commas_of_rows_and_no_data_are_text():
    parser = CsvParser(",", width=3)
    text = "first, second, third\nfourth, fifth, sixth\na, b, c\nd, e, f"
    assert parser.feed(f'1,"{text}",q\n'.encode()) == [Record(1, ["1", text, "q"])]


def test_a_stray_quote_does_not_swallow_a_growing_file():
    parser = CsvParser(",")
    data = b'"1,2\n' + b"3,4\n" * 20_000
    records = [r for i in range(0, len(data), 1000) for r in parser.feed(data[i : i + 1000])]
    assert sum(r.fields == ["3", "4"] for r in records) == 20_000
    assert [r.line for r in records if r.problem] == [1]


def test_bytes_that_are_not_utf8_are_a_problem_of_their_line():
    records = parse(b"a,b\n\xff,1\n2,3\n")
    assert [(r.line, str(r.problem)) for r in records if r.problem] == [
        (2, "'\\xff,1' is not UTF-8 (byte 0xff)")
    ]
    assert records[-1].fields == ["2", "3"]


texts = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=8)


@given(
    rows=st.lists(st.lists(texts, min_size=2, max_size=2), min_size=1, max_size=12),
    cuts=st.lists(st.integers(0, 200), max_size=6),
)
def test_what_a_csv_writer_wrote_is_read_back_however_it_is_cut(rows, cuts):
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator="\n").writerows(rows)
    data = file.getvalue().encode()
    assert [r for _, r in fields(data, cuts)] == rows


@given(data=st.binary(max_size=300), cuts=st.lists(st.integers(0, 300), max_size=6))
def test_any_bytes_give_the_same_however_they_are_cut(data, cuts):
    assert parse(data, cuts) == parse(data)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress])
def test_a_file_may_be_compressed(tmp_path, compress):
    path = write(tmp_path, compress(b"a,b\n1,2\n3,4\n"))
    assert read(path, ["b", "a"])[0] == [("2", "1"), ("4", "3")]


def test_a_bom_is_not_part_of_the_first_name(tmp_path):
    assert CsvFile(write(tmp_path, b"\xef\xbb\xbfa,b\n1,2\n")).names == ["a", "b"]


def test_a_line_with_another_number_of_fields_is_reported(tmp_path):
    rows, broken = read(write(tmp_path, b"a,b\n1,2\n3\n4,5,6\n7,8\n"), ["a"])
    assert rows == [("1",), ("7",)]
    assert [str(b) for b in broken] == [
        "data.csv, line 3: 1 field, the header has 2",
        "data.csv, line 4: 3 fields, the header has 2",
    ]


@pytest.mark.parametrize(
    ("head", "dialect"),
    [
        (b"a,b\n1.5,2\n", Dialect(",", ".")),
        (b"a;b\n1,5;2,0\n", Dialect(";", ",")),
        (b"a;b\n1.5;2,000\n2.5;3\n", Dialect(";", ".")),
        (b"a\tb\n1,5\t2\n", Dialect("\t", ",")),
        (b"a;b\n1.234,50;2\n2.345,75;3\n", Dialect(";", ",")),
        (b"a|b\n1|2\n", Dialect("|", ".")),
        (b'a,b\n"x;y;z",2\n"p;q;r",3\n', Dialect(",", ".")),
        (b"only\n1\n2\n", Dialect(",", ".")),
    ],
)
def test_delimiter_and_decimal_are_sniffed(head, dialect):
    assert sniff(head.split(b"\n")) == dialect


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"1,2\n3,4\n", "looks like data"),
        (b"a,a\n1,2\n", "2 columns are called 'a'"),
        (b"a,b\r1,2\r", "CR alone"),
        (b"\x00\x01\x02\x03", "NUL bytes"),
    ],
)
def test_a_file_that_is_no_csv_with_a_header_is_refused(tmp_path, data, says):
    with pytest.raises(MacroError, match=says):
        CsvFile(write(tmp_path, data))


def test_a_file_cut_off_in_the_middle_is_said(tmp_path):
    whole = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(100_000)))
    path = write(tmp_path, whole[: len(whole) // 2])
    with pytest.raises(MacroError, match=r"data\.csv cannot be read to its end"):
        read(path, ["a"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("abc", "'abc' is not a number"),
        ("", "is missing"),
        (" NA ", "is missing"),
        ("nan", "is missing"),
        ("inf", "'inf' is not a finite number"),
        ("1e999", "'1e999' is not a finite number"),
        ("1_000", "'1_000' is not a number"),
        ("1,5", "'1,5' is not a number"),
        ("\x1b[2J", "'\\x1b[2J' is not a number"),
    ],
)
def test_what_is_no_number_is_a_problem_in_words(text, problem):
    numbers, problems = TextColumn(["1.5", text, " 2 "]).numbers()
    assert [numbers[0], numbers[2]] == [1.5, 2.0]
    assert {i: str(p) for i, p in problems.items()} == {1: problem}


def test_a_decimal_comma():
    numbers, problems = TextColumn(["1,5", "2", "-,5"], decimal=",").numbers()
    assert numbers.tolist() == [1.5, 2.0, -0.5]
    assert problems == {}


def test_a_forgotten_quote_does_not_swallow_the_next_row(tmp_path):
    text = b'a,c,y\n1,"p",0\n2,"q,1\n3,"r",0\n4,"s",1\n'
    rows, broken = read(write(tmp_path, text), ["a", "c"])
    assert rows == [("1", "p"), ("3", "r"), ("4", "s")]
    assert [(b.line, b.problem.kind) for b in broken] == [(3, "opens a quote that is not closed")]


@pytest.mark.slow
def test_thousands_of_stray_quotes_are_told_one_by_one():
    records = parse(b"a,b\n" + b'",5" x,"\n' * 1500)
    assert sum(r.problem is not None for r in records) > 500


def test_blank_lines_are_none_whatever_else_is_read_with_them():
    assert [r.line for r in parse(b"\na,b\n\n\xff,1\n\n2,3\n")] == [2, 4, 6]


def test_a_point_alone_is_no_part_of_a_number_with_a_decimal_comma():
    numbers, problems = TextColumn(["0,5", "1.234", "1.234,5"], decimal=",").numbers()
    assert numbers[[0, 2]].tolist() == [0.5, 1234.5]
    assert [str(p) for p in problems.values()] == ["'1.234' is not a number"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,234.50", 1234.5),
        ("1,234", 1234.0),
        ("-12,345,678.9", -12_345_678.9),
        ("5 %", 5.0),
        ("5%", 5.0),
        ("$3.20", 3.2),
        ("-$1,000", -1000.0),
        ("3.20 €", 3.2),
        ("+7", 7.0),
        ("1e3", 1000.0),
        ("(12.50)", -12.5),
        ("($1,000)", -1000.0),
    ],
)
def test_numbers_as_people_write_them(text, number):
    numbers, problems = TextColumn([text]).numbers()
    assert (numbers.tolist(), problems) == ([number], {})


@pytest.mark.parametrize(
    "text", ["1,23", "12,34.5", "1,2345", "5 % 3", "$", "%", "3 apples", "$$3", "(-5)", "(5", "()"]
)
def test_what_nobody_writes_for_a_number_is_none(text):
    assert [str(p) for p in TextColumn([text]).numbers()[1].values()] == [
        f"'{text}' is not a number"
    ]


@pytest.mark.parametrize(
    "text", ["?", "-", "N/A", "n/a", "null", "none", "None", "NaN", "#N/A", "<NA>", ".", "", " "]
)
def test_what_stands_for_no_number(text):
    assert [str(p) for p in TextColumn([text]).numbers()[1].values()] == ["is missing"]


def test_a_thousands_separator_is_not_taken_for_a_decimal_comma():
    assert sniff([b"a;b", b"1,141;2", b"2,998;3", b""]) == Dialect(";", ".")
    assert sniff([b"a;b", b"0,141;2", b"2,998;3", b""]) == Dialect(";", ",")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ("a,b\n1,2,\n3,4,\n", "the header has 2 names and the lines below it have 3 fields"),
        ("a,b\n1,2\n3,4,\n5,6\n", None),
        ("Report of May\n\na;b\n1;2\n", "is it a title? Remove what stands above the header"),
        ("a b\n1 2\n3 4\n", "there is one column; write a comma between columns"),
        ("label\n1\n0\n", None),
        ("a,b\n", None),
    ],
)
def test_a_header_that_does_not_fit_its_lines_is_said_with_the_cure(tmp_path, data, says):
    path = tmp_path / "d.csv"
    path.write_text(data)
    said = [note for note in CsvFile(path).notes if "sniffed" not in note]
    assert [says in note for note in said] == [True] if says else said == []


def test_data_in_place_of_the_header_is_refused(tmp_path):
    with pytest.raises(MacroError, match="looks like data"):
        CsvFile(write(tmp_path, b"2024-03-01T00:00,0.13,red,1\n2024-03-02T00:00,0.2,blue,0\n"))


def test_columns_that_are_called_by_their_numbers_are_a_header(tmp_path):
    file = CsvFile(write(tmp_path, b"1,2,target\n1.6,-0.9,0\n0.3,0.2,1\n"))
    assert file.names == ["1", "2", "target"]


def test_a_header_of_many_columns_is_read_within_a_second(tmp_path):
    names = [f"x{i}" for i in range(16_000)]
    row = ",".join(["1.5"] * len(names))
    path = write(tmp_path, f"y,{','.join(names)}\np,{row}\nq,{row}\n".encode())
    begun = process_time()
    opened = open_stream([path])
    opened.reader(Rejections())
    assert len(opened.spec.features) == 16_000
    assert process_time() - begun < 1.0


def test_a_file_of_too_many_columns_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("macro_engine.stream.spec.MOST_COLUMNS", 3)
    assert CsvFile(write(tmp_path, b"a,b,c\n1,2,3\n")).names == ["a", "b", "c"]
    with pytest.raises(MacroError, match=r"data\.csv has 4 columns; at most 3 can be read"):
        CsvFile(write(tmp_path, b"a,b,c,d\n1,2,3,4\n"))


BARE = b"0,1,red\n1,5,blue\n2,7,red\n0,2,green\n"


@pytest.mark.parametrize(
    "data",
    [
        BARE,
        b"0.05,0.6,green,no\n0.4,0.1,green,no\n0.1,1.0,red,yes\n0.2,0.3,green,no\n",
        b"red,yes\nblue,no\nred,no\ngreen,yes\n",
    ],
)
def test_a_first_line_whose_texts_are_values_is_a_row(tmp_path, data):
    with pytest.raises(MacroError, match=r"looks like data.*--columns c1"):
        CsvFile(write(tmp_path, data))


@pytest.mark.parametrize(
    "data",
    [
        b"0,1,2,3\n0.5,0.1,green,no\n0.4,0.1,red,no\n0.1,1.0,red,yes\n",
        b"0,1,2,3\n0.5,0.1,7,8\n0.4,0.1,8,9\n0.1,1.0,9,1\n",
        b"1990,city\n4,Rome\n5,Oslo\n6,Rome\n",
        b"red,yes\nred,yes\n4,no\n5,no\n6,no\n",
        b"a,b\n",
    ],
)
def test_names_are_no_row_though_they_look_like_one(tmp_path, data):
    CsvFile(write(tmp_path, data))


def test_columns_name_those_of_a_file_without_a_header(tmp_path):
    file = CsvFile(write(tmp_path, BARE), columns=["a", "b", "color"])
    (table,) = file.tables(["color", "a"])
    assert table.columns["color"].texts() == ["red", "blue", "red", "green"]
    assert table.lines.tolist() == [1, 2, 3, 4]
    assert len(file.sample(500)) == 4
    with_header = CsvFile(write(tmp_path, b"a,b,color\n" + BARE), columns=["a", "b", "color"])
    assert len(with_header.sample(500)) == 4


@pytest.mark.parametrize(
    ("columns", "words"),
    [(["a", "b"], "names 2 columns; .* have 3 fields"), (["a", "b", "a"], "names 'a' twice")],
)
def test_columns_that_do_not_fit_are_refused(tmp_path, columns, words):
    with pytest.raises(UsageError, match=words):
        CsvFile(write(tmp_path, BARE), columns=columns)


def test_a_decimal_comma_is_seen_beside_a_currency(tmp_path):
    file = CsvFile(write(tmp_path, "x;label\n7.234,50 €;no\n12,25 €;yes\n".encode()))
    (table,) = file.tables(["x"])
    assert table.columns["x"].numbers()[0].tolist() == [7234.5, 12.25]
