"""A file that is cut short, written again, replaced or taken away."""

import os

import pytest
from made_files import age, append, rotate
from made_followers import HEADER, Watched

from macro_engine.stream.live import tail
from macro_engine.stream.live.tail import GRACE


def test_truncation_is_said_and_reading_starts_over(live):
    live.poll()
    live.path.write_bytes(b"")
    assert live.poll() == []
    append(live.path, HEADER + b"2,2,q\n")
    assert live.poll() == ["2,2,q"]
    assert live.said[0] == "live.csv: file cut short, waiting"
    assert "reading from its start; rows that came" in live.said[-1]
    assert live.follower.trouble is None


def test_truncation_is_noticed_even_if_the_file_is_longer_again(live):
    live.poll()
    live.path.write_bytes(HEADER + b"2,2,q\n3,3,p\n")
    assert live.poll() == ["2,2,q", "3,3,p"]
    assert "was cut short" in live.said[0]


def test_a_writer_that_keeps_its_place_after_a_copytruncate(live):
    live.poll()
    with live.path.open("r+b") as file:
        file.seek(0, os.SEEK_END)
        live.path.with_name("live.csv.1").write_bytes(live.path.read_bytes())
        os.truncate(live.path, 0)
        file.write(b"2,2,q\n")
    age(live.path.with_name("live.csv.1"), 2 * GRACE)
    assert live.poll(5) == ["2,2,q"]


def test_what_a_copytruncate_took_away_is_read_from_the_copy(live):
    live.poll()
    append(live.path, b"2,2,q\n3,3")
    live.path.with_name("live.csv.1").write_bytes(live.path.read_bytes() + b",p\n")
    os.truncate(live.path, 0)
    assert live.poll() == ["2,2,q", "3,3,p"]
    append(live.path, HEADER + b"4,4,p\n")
    age(live.path.with_name("live.csv.1"), 2 * GRACE)
    assert live.poll() == ["4,4,p"]
    assert live.rejected == []


def test_nul_bytes_left_by_a_copytruncate_are_skipped(live):
    live.poll()
    os.truncate(live.path, 0)
    live.poll()
    append(live.path, bytes(5000) + b"2,2,q\n" + bytes(3) + b"3,3,p\n")
    assert live.poll() == ["2,2,q", "3,3,p"]
    assert live.said[-1] == "live.csv: 5,003 NUL bytes from line 1 on were skipped"
    assert live.rejected == []


def test_truncation_is_noticed_behind_a_header_of_more_than_a_kilobyte(tmp_path):
    names = ["t", "a", "y", *(f"a sensor with the number {i}" for i in range(60))]
    header = ",".join(names).encode() + b"\n"

    def rows(first, count):
        return b"".join(b"%d,1,p%s\n" % (i, b"," * 60) for i in range(first, first + count))

    path = tmp_path / "live.csv"
    path.write_bytes(header + rows(0, 10))
    live = Watched(path, names)
    assert len(live.poll()) == 10
    path.write_bytes(header + rows(100, 12))
    assert [row.split(",")[0] for row in live.poll()] == [str(i) for i in range(100, 112)]
    live.follower.close()


def test_half_a_line_that_is_taken_back_costs_nothing(live):
    append(live.path, b"2,2")
    live.poll()
    live.path.write_bytes(HEADER + b"1,1,p\n3,3,q\n")
    assert live.poll() == ["3,3,q"]
    assert live.rejected == []


def test_a_row_that_is_changed_in_place_does_not_have_all_read_again(live):
    many = b"".join(b"%d,1,p\n" % i for i in range(2, 1000))
    append(live.path, many)
    live.poll()
    with live.path.open("r+b") as file:
        file.seek(-2, os.SEEK_END)
        file.write(b"q")
    append(live.path, b"1000,1,q\n")
    assert live.poll() == ["1000,1,q"]
    assert live.said == ["live.csv: was changed in place: continuing after what was read before"]


def test_half_of_a_line_that_moved_in_place_is_not_taken_for_a_row(live):
    many = [b"%d,1,p\n" % i for i in range(2, 1000)]
    append(live.path, b"".join(many))
    live.poll()
    many[990] = b"much longer than before,1,p\n"
    live.path.write_bytes(HEADER + b"1,1,p\n" + b"".join(many) + b"1000,1,q\n")
    assert set(live.poll()) <= {"999,1,p", "998,1,p", "997,1,p", "1000,1,q"}
    assert live.rows[-1] == "1000,1,q"
    assert live.rejected == []


def test_a_file_that_is_cut_short_and_then_renamed_is_left(live):
    live.poll()
    os.truncate(live.path, 3)
    live.poll()
    assert live.follower.trouble == "file cut short"
    rotate(live.path, HEADER + b"2,2,q\n")
    live.poll()
    live.wait()
    assert live.poll() == ["2,2,q"]
    assert live.follower.trouble is None


def test_a_file_written_again_with_more_rows_is_read_on(live):
    """As a program does that saves all of a table each time, caught at several moments."""
    live.poll()
    for data in (b"", HEADER[:3], HEADER, HEADER + b"1,", HEADER + b"1,1,p\n2,2"):
        live.path.write_bytes(data)
        assert live.poll() == []
    live.path.write_bytes(HEADER + b"1,1,p\n2,2,q\n")
    assert live.poll() == ["2,2,q"]
    assert live.follower.trouble is None
    assert live.rejected == []


@pytest.mark.parametrize("is_down", [False, True])
def test_a_file_replaced_by_one_with_the_same_rows_and_more_is_read_on(live, is_down):
    live.poll()
    new = live.path.with_name(".live.csv.tmp")
    new.write_bytes(HEADER + b"1,1,p\n2,2,q\n")
    if is_down:
        position = live.follower.position()
        live.follower.close()
        new.rename(live.path)
        live = Watched(live.path)
        live.follower.restore(position)
    else:
        new.rename(live.path)
        live.poll()
        live.wait()
    assert live.poll() == ["2,2,q"]
    assert live.said[-1].endswith(
        "replaced by a file with the rows read before: continuing after them"
    )
    live.follower.close()


def test_a_file_written_again_is_read_on_even_if_a_copy_of_it_was_finished_first(live):
    live.poll()
    live.path.with_name("live.csv-20260101").write_bytes(live.path.read_bytes())
    live.path.write_bytes(b"")
    live.poll()
    live.path.write_bytes(HEADER + b"1,1,p\n2,2,q\n")
    rotate(live.path, HEADER + b"3,3,p\n")
    for _ in range(3):
        live.poll()
        live.wait()
    assert live.rows == ["1,1,p", "2,2,q", "3,3,p"]


def test_a_file_that_is_replaced_slowly_is_waited_for(live):
    live.poll()
    live.path.unlink()
    live.path.write_bytes(HEADER + b"1,")
    live.poll()
    live.wait()
    assert live.poll() == []
    assert live.follower.trouble == "file holds no rows but those read before"
    append(live.path, b"1,p\n2,2,q\n")
    assert live.poll() == ["2,2,q"]


def test_a_file_that_vanishes_and_comes_back(live):
    live.poll()
    live.path.unlink()
    live.poll()
    live.wait()
    live.poll()
    assert live.follower.trouble == "file gone"
    live.path.write_bytes(HEADER + b"2,2,q\n")
    live.wait()
    assert live.poll() == ["2,2,q"]
    assert live.follower.trouble is None
    assert live.said[0] == "live.csv: file gone, waiting"


def test_a_file_that_cannot_be_read_is_waited_for(live, monkeypatch):
    live.poll()

    def refuse(*_arguments):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(tail.os, "pread", refuse)
        append(live.path, b"2,2,q\n")
        assert live.poll() == []
        assert live.follower.trouble == "file cannot be read (Permission denied)"
    assert live.poll() == ["2,2,q"]
    live.poll()
    assert live.said == [
        "live.csv: file cannot be read (Permission denied), waiting",
        "live.csv: is there again",
    ]


def test_a_descriptor_that_has_gone_stale_is_given_up(live):
    live.poll()

    def refuse(_place, _size):
        raise OSError(116, "Stale file handle")

    live.follower.file.read = refuse
    append(live.path, b"2,2,q\n")
    assert live.poll() == ["2,2,q"]
    assert live.said == [
        "live.csv: file cannot be read (Stale file handle), waiting",
        "live.csv: is there again",
    ]


def test_something_else_in_the_place_of_the_file_is_waited_out(live):
    live.poll()
    live.path.rename(live.path.with_name("live.csv.1"))
    live.path.mkdir()
    live.poll()
    live.wait()
    assert live.poll() == []
    live.path.rmdir()
    live.path.write_bytes(HEADER + b"2,2,q\n")
    live.wait()
    assert live.poll() == ["2,2,q"]
