"""From files to blocks of whole steps."""

import numpy as np
import pytest

from macro_engine.core.errors import MacroError
from macro_engine.options.settings import Layer
from macro_engine.stream.formats import csv
from macro_engine.stream.opening import COMMAND_LINE, open_stream
from macro_engine.stream.table import Rejections


def recording(tmp_path, *texts, **options):
    paths = []
    for i, text in enumerate(texts):
        paths.append(tmp_path / f"part{i}.csv")
        paths[-1].write_text(text)
    raw = {"label": "y", "features": "a", "classes": "p,q", **options}
    opened = open_stream(paths, [Layer.read(COMMAND_LINE, raw, of_user=True)])
    return opened.reader(Rejections())


def steps(recording):
    """The numbers of each step's rows, and where blocks began."""
    found, firsts = [], []
    for block in recording.blocks():
        firsts.append((block.first_row, block.first_step))
        found += [block.step(s).numbers[:, 0].tolist() for s in range(block.steps)]
    return found, firsts


def test_a_file_boundary_does_not_close_a_step(tmp_path):
    first = "t,a,y\n2020-01-01 00:00,1,p\n2020-01-01 00:10,2,p\n"
    second = "y,a,t\nq,3,2020-01-01 00:11\nq,4,2020-01-01 00:20\n"
    stream = recording(tmp_path, first, second, time="t", every="10m", scale="none")
    assert steps(stream)[0] == [[1.0], [2.0, 3.0], [4.0]]


def test_chunks_of_any_size_give_the_same_steps(tmp_path, monkeypatch):
    rows = [(i, i // 7) for i in range(200)]
    text = "t,a,y\n" + "".join(f"2020-01-01 00:{m:02},{i},{'pq'[i % 2]}\n" for i, m in rows)
    expected = [[float(i) for i, m in rows if m == minute] for minute in range(29)]
    for chunk in (16, 100, 1 << 18):
        monkeypatch.setattr(csv, "CHUNK", chunk)
        stream = recording(tmp_path, text, time="t", every="1m", scale="none")
        found, firsts = steps(stream)
        assert found == expected
        assert firsts == sorted(firsts)
        assert (stream.rows, stream.steps) == (200, 29)


def test_late_rows_may_be_turned_away_and_leave_no_trace(tmp_path):
    text = "t,a,c,y\n2020-01-01 00:10,1,x,p\n2020-01-01 00:00,2,late,p\n2020-01-01 00:10,3,y,q\n"
    stream = recording(tmp_path, text, time="t", every="10m", late="reject", categorical="c")
    (block,) = stream.blocks()
    assert len(block.rows) == 2
    assert block.rows.columns.slots == (("x", "y"),)
    assert stream.late == 1
    assert [str(r) for r in stream.rejections.first] == [
        "part0.csv, line 3, column 't': is late (--late join would accept it)"
    ]


def test_times_of_rows_are_kept(tmp_path):
    text = "t,a,y\n2020-01-01 00:10,1,p\n2020-01-01 00:11,3,q\n"
    (block,) = recording(tmp_path, text, time="t", every="10m").blocks()
    assert np.diff(block.times).tolist() == [60_000_000]


def test_a_header_without_rows_is_said(tmp_path):
    with pytest.raises(MacroError, match="there are columns, but no rows"):
        list(recording(tmp_path, "a,y\n").blocks())


def test_rows_of_which_none_can_be_used_are_said_with_the_first_reason(tmp_path):
    with pytest.raises(
        MacroError, match=r"none of 2 rows can be used; the first: part0\.csv, line 2, column 'a'"
    ):
        list(recording(tmp_path, "a,y\nx,p\nx,q\n").blocks())


def test_each_file_may_write_its_times_in_its_own_way(tmp_path):
    first = "t,a,y\n2020-01-01 00:00,1,p\n"
    second = "t,a,y\n1577837400,2,q\n"
    stream = recording(tmp_path, first, second, time="t", every="10m", scale="none")
    assert steps(stream)[0] == [[1.0], [2.0]]
    assert stream.rejections.count == 0
