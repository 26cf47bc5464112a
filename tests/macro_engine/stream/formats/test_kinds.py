"""Files of every kind that is read, and what is said of those that are not."""

import bz2
import gzip
import json
import lzma

import polars as pl
import pytest

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.options.readers import encoding
from macro_engine.options.settings import Layer
from macro_engine.stream.formats import json_lines
from macro_engine.stream.formats.csv import CsvFile
from macro_engine.stream.formats.encodings import encoding_of
from macro_engine.stream.formats.json_lines import JsonLinesFile
from macro_engine.stream.live.beginning import FileOrigin
from macro_engine.stream.opening import open_stream, toml_beside
from macro_engine.stream.recording import open_file

FRAME = pl.DataFrame({"a": [1, 2, 3], "place": ["x", "é", None], "y": [True, False, True]})
ROWS = [("1", "x", "true"), ("2", "é", "false"), ("3", "", "true")]
LINES = "".join(json.dumps(row) + "\n" for row in FRAME.to_dicts()).encode()


def rows_of(file, at=None):
    tables = list(file.tables(file.names, at))
    return [
        row
        for table in tables
        for row in zip(*(table.columns[name].texts() for name in file.names), strict=True)
    ]


def write(tmp_path, name, data):
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("name", ["d.arrow", "d.feather", "d.ipc", "stream.arrow"])
def test_arrow_is_read(tmp_path, name):
    path = tmp_path / name
    FRAME.write_ipc_stream(path) if name.startswith("stream") else FRAME.write_ipc(path)
    file = open_file(path)
    assert file.names == ["a", "place", "y"]
    assert rows_of(file) == ROWS
    assert rows_of(file, {"row": 2}) == ROWS[2:]


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("d.jsonl", bytes),
        ("d.ndjson.gz", gzip.compress),
        ("d.jsonl.xz", lzma.compress),
        ("d.log", bytes),
    ],
)
def test_json_lines_are_read(tmp_path, name, pack):
    file = open_file(write(tmp_path, name, pack(LINES)))
    assert file.names == ["a", "place", "y"]
    assert rows_of(file) == ROWS


def test_json_lines_give_the_same_rows_and_rejections_however_they_are_cut(tmp_path, monkeypatch):
    bad = b'[1]\n{"a": 7, "new": 1}\n\n{"a": \n\xff\n{"y": "z", "a": 8.50}'
    file = JsonLinesFile(write(tmp_path, "d.jsonl", b"\xef\xbb\xbf" + LINES + bad))
    found = []
    for chunk in (1 << 22, 64, 7):
        monkeypatch.setattr(json_lines, "CHUNK", chunk)
        tables = list(file.tables(file.names))
        broken = [str(rejection) for table in tables for rejection in table.broken]
        found.append((rows_of(file), broken, tables[-1].end))
        for table in tables:  # reading on from any position
            rest = rows_of(file, table.end)
            assert rest == found[-1][0][len(found[-1][0]) - len(rest) :]
    assert found[1:] == found[:-1]
    rows, broken, _end = found[0]
    assert rows[3:] == [("7", "", "", "1"), ("8.50", "", "z", "")]
    assert [text.split(": ")[0] for text in broken] == [f"d.jsonl, line {n}" for n in (4, 7, 8)]
    assert "is not a JSON object" in broken[0]
    assert "is not JSON" in broken[1]
    assert "is not UTF-8 (byte 0xff)" in broken[2]


def test_lists_and_objects_are_left_out_by_name(tmp_path):
    file = JsonLinesFile(write(tmp_path, "d.jsonl", b'{"a": 1, "b": [1], "c": {"d": 2}}\n'))
    assert file.names == ["a"]
    assert file.notes == [f"'{name}' is left out: it holds lists or objects" for name in "bc"]


def test_a_file_without_objects_is_no_json_lines(tmp_path):
    with pytest.raises(MacroError, match=r"none of the first lines.*line 1"):
        JsonLinesFile(write(tmp_path, "d.jsonl", b"1\n2\n"))


TEXT = "a,place\n1,x\n2,é\n"
CSV_ROWS = [("1", "x"), ("2", "é")]


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_a_csv_may_be_compressed(tmp_path, pack):
    assert rows_of(CsvFile(write(tmp_path, "d.csv.z", pack(TEXT.encode())))) == CSV_ROWS


def test_a_csv_may_be_compressed_with_zstd(tmp_path):
    path = tmp_path / "d.csv.zst"
    pl.DataFrame({"a": [1, 2], "place": ["x", "é"]}).write_csv(path, compression="zstd")
    assert path.read_bytes().startswith(b"\x28\xb5\x2f\xfd")
    assert rows_of(CsvFile(path)) == CSV_ROWS
    assert toml_beside(path).name == "d.toml"
    path.write_bytes(path.read_bytes()[:-6])
    with pytest.raises(MacroError, match=r"zstd -d d.csv.zst"):
        CsvFile(path)


@pytest.mark.parametrize(
    ("coded", "name"),
    [("latin-1", "latin-1"), ("utf-16", None), ("utf-16-le", "utf-16-le"), ("utf-16", "utf-16")],
)
def test_text_in_another_encoding_is_read(tmp_path, coded, name):
    file = CsvFile(write(tmp_path, "d.csv", TEXT.encode(coded)), encoding=name)
    assert file.names == ["a", "place"]
    assert rows_of(file) == CSV_ROWS
    (table,) = file.tables(file.names)
    assert rows_of(file, {"byte": len("a,place\n1,x\n"), "line": 2}) == CSV_ROWS[1:]
    assert table.end == {"byte": len(TEXT.encode()), "line": 3}


def test_what_an_encoding_does_not_have_is_a_rejected_line(tmp_path):
    file = CsvFile(write(tmp_path, "d.csv", b"a,b\n1,\x81\n2,\xe9\n"), encoding="cp1252")
    tables = list(file.tables(file.names))
    assert [str(r) for t in tables for r in t.broken] == [
        "d.csv, line 2: '1,\\x81' is not UTF-8 (byte 0x81)"
    ]
    assert tables[-1].columns["b"].texts() == ["é"]


def test_text_that_is_not_utf8_is_said_with_the_option(tmp_path):
    notes = CsvFile(write(tmp_path, "d.csv", b"a,b\n1,2\n1,\xe9\n")).notes
    assert "line 3 is not UTF-8 and such lines are rejected; name the encoding" in notes[-1]


TOWNS = "a,town,y\n" + "".join(
    f"{i * 7 % 9},{('Köln', 'Oslo')[i % 3 > 0]},{i % 2}\n" for i in range(24)
)


def test_text_that_is_latin_1_throughout_is_read_so_and_that_is_said(tmp_path):
    file = CsvFile(write(tmp_path, "d.csv", TOWNS.encode("latin-1")))
    (table,) = file.tables(file.names)
    assert table.columns["town"].texts() == ["Köln", "Oslo", "Oslo"] * 8
    assert "is read as latin-1; --encoding names another" in file.notes[-1]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["é".encode("latin-1")] * 3, "latin-1"),
        (["“é”".encode("cp1252")] * 3, "cp1252"),
        (["é".encode("latin-1")] * 2 + [b"e"] * 9, None),  # may be damage
        (["é".encode("latin-1")] * 3 + ["é".encode()], None),
        (["é".encode()] * 3, None),
        ([b"\x81"] * 3, None),
    ],
)
def test_an_encoding_is_guessed_where_nothing_contradicts_it(lines, expected):
    assert encoding_of(lines) == expected


@pytest.mark.parametrize("given", [None, "latin-1", "cp1252"])
def test_a_growing_file_in_latin_1_is_read_as_the_recording_is(tmp_path, given):
    path = write(tmp_path, "d.csv", TOWNS.encode("latin-1") * 30)
    layers = [] if given is None else [Layer.read("test", {"encoding": given}, of_user=True)]
    opened = open_stream(FileOrigin(path), layers)
    assert opened.settings["encoding"] == ("cp1252" if given == "cp1252" else "iso8859-1")
    assert ("is read as latin-1" in " ".join(opened.remarks)) == (given is None)
    names = ["a", "town", "y"]
    source = opened.origin.connect(names, opened.spec, opened.settings, lambda _text: None)
    texts = [text for table in source.poll() for text in table.columns["town"].texts()]
    assert texts[:24] == ["Köln", "Oslo", "Oslo"] * 8
    assert set(texts) <= {"Köln", "Oslo", "town"}


def test_a_growing_file_with_some_lines_that_are_not_utf8_is_said(tmp_path):
    path = write(tmp_path, "d.csv", TOWNS.encode() * 30 + b"1,\xe9,0\n")
    remarks = " ".join(open_stream(FileOrigin(path)).remarks)
    assert "line 751 is not UTF-8 and such lines are rejected; name the encoding" in remarks


def test_an_encoding_that_does_not_exist_is_refused():
    for name in ("klingon", "hex"):
        with pytest.raises(ValueError, match="is not an encoding"):
            encoding(name)


@pytest.mark.parametrize(
    ("above", "lines"),
    [
        ("sep=;\r\n", 1),
        ("# made today; with love\n# twice\n", 2),
        ("# one\n\nsep=;\n", 3),
        ("\ufeff# one\n", 1),
    ],
)
def test_lines_above_the_header_are_skipped_and_counted(tmp_path, above, lines):
    text = above + "a;b\n1,5;x\noops\n"
    file = CsvFile(write(tmp_path, "d.csv", text.encode()))
    assert file.names == ["a", "b"]
    assert rows_of(file) == [("1,5", "x")]
    (broken,) = [r for table in file.tables(file.names) for r in table.broken]
    assert broken.line == lines + 3
    (table,) = file.tables(file.names)
    assert rows_of(file, table.end) == []
    assert file.notes[-1] == f"{lines} line{'s' * (lines > 1)} above the header skipped"


def test_a_header_that_begins_with_a_hash_stays_one(tmp_path):
    file = CsvFile(write(tmp_path, "d.csv", b"# made\n#,name,n\n1,bob,3\n2,eve,4\n"))
    assert file.names == ["#", "name", "n"]


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("d.zip", b"PK\x03\x04....", "unzip -p d.zip > d.csv"),
        ("d.csv.zip", b"PK\x03\x04....", "unzip -p d.csv.zip > d.csv,"),
        ("d.xlsx", b"PK\x03\x04....", "save its sheet as CSV"),
        ("d.xls", b"\xd0\xcf\x11\xe0....", "save its sheet as CSV"),
        ("d.json", b'[{"a": 1}]', r"jq -c '.\[\]' d.json > d.jsonl"),
        ("d.feather", b"FEA1....", "version 2"),
        ("d.arrow", b"....", "not a readable Arrow file"),
        ("d.csv", "a,b\n1,2\n".encode("utf-16-le"), "--encoding utf-16-le"),
    ],
)
def test_what_is_not_read_is_said_with_what_to_do(tmp_path, name, data, says):
    with pytest.raises(MacroError, match=says):
        open_file(write(tmp_path, name, data))


def test_utf16_that_grows_is_said_with_what_to_do(tmp_path):
    path = write(tmp_path, "d.csv", "a,y\n1,0\n".encode("utf-16"))
    with pytest.raises(MacroError, match=r"replay reads and tail does not.*iconv"):
        open_stream(FileOrigin(path))


@pytest.mark.parametrize("option", [{"encoding": "utf-16"}, {"sort": True}])
def test_a_live_stream_has_one_byte_a_character_and_is_not_sorted(tmp_path, option):
    path = write(tmp_path, "d.csv", b"a,y\n1,0\n")
    layer = Layer.read("test", option, of_user=True)
    with pytest.raises(UsageError, match=next(iter(option))):
        open_stream(FileOrigin(path), [layer])
