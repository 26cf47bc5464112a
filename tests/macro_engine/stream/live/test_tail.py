"""Following a growing file: what happens to it is said, and every row is read once."""

import os
import time

import pytest
from made_files import age, append, rotate
from made_followers import HEADER, Watched

from macro_engine.core.state import DamagedError
from macro_engine.stream.live import tail
from macro_engine.stream.live.live_text import LONGEST_LINE
from macro_engine.stream.live.rotation import Found
from macro_engine.stream.live.tail import GRACE


@pytest.fixture
def live(tmp_path):
    path = tmp_path / "live.csv"
    path.write_bytes(HEADER + b"1,1,p\n")
    watched = Watched(path)
    yield watched
    watched.follower.close()


def test_rows_are_read_as_they_come(live):
    assert live.poll() == ["1,1,p"]
    append(live.path, b"2,2,q\n3,3,p\n")
    assert live.poll() == ["2,2,q", "3,3,p"]
    assert live.lines == [2, 3, 4]
    assert live.said == []


def test_half_a_line_is_waited_for(live):
    live.poll()
    append(live.path, b"2,2")
    assert live.poll() == []
    append(live.path, b"2,q\n")
    assert live.poll() == ["2,22,q"]


def test_a_character_cut_in_two_is_put_together(live):
    live.poll()
    letter = "ü".encode()
    append(live.path, b"2," + letter[:1])
    assert live.poll() == []
    append(live.path, letter[1:] + b",q\n")
    assert live.poll() == ["2,ü,q"]


def test_crlf_and_quoted_newlines(live):
    live.poll()
    append(live.path, b'2,2,q\r\n3,"three\n')
    assert live.poll() == ["2,2,q"]
    append(live.path, b'lines",p\r\n4,4,q\r')
    assert live.poll() == ["3,three\nlines,p"]
    append(live.path, b"\n")
    assert live.poll() == ["4,4,q"]


def test_after_a_rename_the_old_file_is_read_to_its_end(live):
    live.poll()
    rotate(live.path, HEADER + b"4,4,p\n")
    append(live.path.with_name("live.csv.1"), b"2,2,q\n")
    assert live.poll() == ["2,2,q"]
    append(live.path.with_name("live.csv.1"), b"3,3,q\n")
    assert live.poll() == ["3,3,q"]
    assert live.said == []
    live.wait()
    assert live.poll() == ["4,4,p"]
    assert live.said == ["live.csv: rotated: going on with the new file (live.csv)"]
    assert live.lines == [2, 3, 4, 2]


def test_several_rotations_between_two_looks_lose_nothing(live):
    live.poll()
    for number in (2, 3, 4):
        rotate(live.path, HEADER + f"{number},{number},p\n".encode())
        age(live.path, -number)
    for number, old in enumerate((9, 8, 7), start=1):
        age(live.path.with_name(f"live.csv.{4 - number}"), old)
    live.poll()
    live.wait()
    assert live.poll(20) == ["2,2,p", "3,3,p", "4,4,p"]


def test_half_a_line_at_the_end_of_a_file_that_is_left_is_turned_away(live):
    live.poll()
    append(live.path, b"2,2,")
    rotate(live.path, HEADER + b"3,3,p\n")
    live.poll()
    live.wait()
    assert live.poll() == ["3,3,p"]
    (rejection,) = live.rejected
    assert str(rejection) == "live.csv, line 3: '2,2,' is half a line: the file ended in it"


def test_columns_in_another_order_after_a_rotation(live):
    live.poll()
    rotate(live.path, b"y,t,a\nq,2,22\n")
    live.poll()
    live.wait()
    assert live.poll() == ["2,22,q"]
    assert "the columns are in another order from here on: y, t, a" in live.said[-1]


def test_a_new_file_without_a_header_goes_on_in_the_order_before(live):
    live.poll()
    rotate(live.path, b"2,2,q\n")
    live.poll()
    live.wait()
    assert live.poll() == ["2,2,q"]


def test_a_header_without_a_column_has_no_rows_until_a_better_one_comes(live):
    live.poll()
    rotate(live.path, b"t,y,z\n2,q,7\n3,p,8\n")
    live.poll()
    live.wait()
    assert live.poll() == []
    words = "line 1: the header lacks the column 'a': rows are rejected until it is right"
    assert live.said[-1] == f"live.csv: {words}"
    assert [str(r) for r in live.rejected] == [
        f"live.csv, line {line}: the header lacks the column 'a'" for line in (2, 3)
    ]
    other = live.resumed()
    append(live.path, b"4,q,9\n" + HEADER + b"5,5,q\n")
    assert other.poll() == ["5,5,q"]
    assert len(other.rejected) == 1
    other.follower.close()


def test_a_first_row_with_the_name_of_a_column_in_it_is_a_row(live):
    live.poll()
    rotate(live.path, b"2,2,y\n3,3,q\n")
    live.poll()
    live.wait()
    assert live.poll() == ["2,2,y", "3,3,q"]


def test_more_columns_and_a_quoted_newline_right_after_the_header(live):
    live.poll()
    rotate(live.path, b'"t","a","y","two\nlines"\n2,2,q,"a\nb"\n3,3,p,c\n')
    live.poll()
    live.wait()
    assert live.poll() == ["2,2,q", "3,3,p"]
    assert live.rejected == []


def test_a_stray_quote_holds_up_three_rows(live):
    live.poll()
    append(live.path, b'2,"2,q\n3,3,p\n4,4,p\n')
    assert live.poll() == []
    append(live.path, b"5,5,p\n")
    assert live.poll() == ["3,3,p", "4,4,p", "5,5,p"]
    assert len(live.rejected) == 1


def test_a_long_quote_is_said_once(live):
    live.poll()
    append(live.path, b'2,"2\n')
    for _ in range(30):
        append(live.path, b"text\n")
        live.poll()
    assert live.said == ["live.csv: line 3 opens a quote: waiting for its end"]
    append(live.path, b'",q\n')
    assert len(live.poll()) == 1


def test_nul_bytes_are_said_once_a_look(live):
    live.poll()
    append(live.path, b"\n\0" * 50_000 + b"2,2,q\n")
    assert live.poll() == ["2,2,q"]
    assert live.said == ["live.csv: 50,000 NUL bytes from line 4 on were skipped"]


def test_a_header_again_is_skipped_and_said(live):
    live.poll()
    append(live.path, HEADER + b"2,2,q\n")
    assert live.poll() == ["2,2,q"]
    assert live.said == ["live.csv: line 3 repeats the header: skipped"]


def test_a_byte_order_mark_even_if_it_comes_in_parts(live):
    live.poll()
    rotate(live.path, b"\xef")
    live.poll()
    live.wait()
    assert live.poll() == []
    append(live.path, b"\xbb\xbf" + HEADER + b"2,2,q\n")
    assert live.poll() == ["2,2,q"]
    assert live.rejected == []


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
    assert live.said == ["live.csv: was changed in place: going on after what was read before"]


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
        "replaced by a file with the rows read before: going on after them"
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


@pytest.mark.slow
def test_a_line_of_10_mb_is_read(live):
    live.poll()
    long = b"x" * (10 << 20)
    append(live.path, b"2," + long)
    assert live.poll(100) == []
    append(live.path, b',q\n3,"' + long + b'",p\n')
    assert [len(row) for row in live.poll(100)] == [len(long) + 4, len(long) + 4]


@pytest.mark.slow
@pytest.mark.parametrize("start", [b"2,", b'2,"'])
def test_a_line_that_is_too_long_is_turned_away_and_takes_no_memory(live, start):
    live.poll()
    with live.path.open("ab") as file:
        file.write(start)
        file.truncate(file.tell() + 2 * LONGEST_LINE)
    append(live.path, b"\n3,3,p\n")
    for _ in range(200):
        live.poll(1)
        assert live.follower.file.text.parser.waiting <= LONGEST_LINE + (1 << 18)
    assert live.rows[-1] == "3,3,p"
    assert live.lines[-1] == 4
    (rejection,) = live.rejected
    assert rejection.line == 3
    assert "is longer than 16 MB" in str(rejection)


@pytest.mark.slow
def test_a_quote_that_is_never_closed_takes_no_memory(live):
    live.poll()
    line = b"x" * (1 << 20) + b"\n"
    append(live.path, b'2,"\n' + 20 * line + b"3,3,p\n")
    live.poll(200)
    assert live.rows[-1] == "3,3,p"
    assert len(live.rejected) == 21
    assert "opens a quote that is not closed" in str(live.rejected[0])


def test_from_now_leaves_out_what_is_there(tmp_path):
    path = tmp_path / "live.csv"
    path.write_bytes(HEADER + b"1,1,p\n2,")
    live = Watched(path, after=Found.at(path))
    assert live.poll() == []
    append(path, b"2,q\n")
    assert live.poll() == ["2,2,q"]
    assert live.lines == [3]
    live.follower.close()


def test_from_now_reads_what_it_leaves_out_for_the_order_of_columns(tmp_path):
    path = tmp_path / "live.csv"
    path.write_bytes(HEADER + b"1,1,p\ny,t,a\np,2,2\n" + b'p,3,"3\n')
    live = Watched(path, after=Found.at(path))
    assert live.poll() == []
    append(path, b'3"\nq,4,4\n')
    assert live.poll() == ["3,3\n3,p", "4,4,q"]
    live.follower.close()


def test_from_now_is_from_when_it_was_asked_for(tmp_path):
    """The file may grow and be renamed before its columns are known."""
    path = tmp_path / "live.csv"
    path.write_bytes(HEADER + b"1,1,p\n")
    then = Found.at(path)
    append(path, b"2,2,q\n")
    rotate(path, HEADER + b"3,3,p\n")
    age(path.with_name("live.csv.1"), 2 * GRACE)
    live = Watched(path, after=then)
    assert live.poll(5) == ["2,2,q", "3,3,p"]
    live.follower.close()


def test_from_now_goes_on_from_a_position_before_that_moment(tmp_path):
    path = tmp_path / "live.csv"
    path.write_bytes(HEADER + b"1,1,p\n")
    live = Watched(path, after=Found.at(path))
    live.follower.start()
    other = live.resumed()
    append(path, b"2,2,q\n")
    assert other.poll() == ["2,2,q"]
    other.follower.close()


def test_reading_goes_on_from_a_position(live):
    live.poll()
    append(live.path, b"2,")
    live.poll()
    other = live.resumed()
    append(live.path, b"2,q\n")
    assert other.poll() == ["2,2,q"]
    assert other.lines == [3]
    assert other.said == []
    other.follower.close()


def test_a_device_that_has_another_number_after_a_reboot_is_no_other_file(live):
    live.poll()
    position = live.follower.position()
    append(live.path, b"2,2,q\n")
    other = Watched(live.path)
    other.follower.restore(position | {"device": position["device"] + 1})
    assert other.poll() == ["2,2,q"]
    assert other.said == []
    other.follower.close()


def test_a_file_renamed_in_the_meantime_is_finished_first(live):
    live.poll()
    append(live.path, b"2,2,q\n")
    for number in (3, 4):
        rotate(live.path, HEADER + f"{number},{number},p\n".encode())
    for number in (1, 2):
        age(live.path.with_name(f"live.csv.{number}"), 10 * number)
    other = live.resumed()
    assert other.poll(20) == ["2,2,q", "3,3,p", "4,4,p"]
    assert "finishing live.csv.2 first" in other.said[0]
    other.follower.close()


def test_a_file_that_is_gone_means_that_rows_may_be_lost(live):
    live.poll()
    live.path.unlink()
    live.path.write_bytes(HEADER + b"7,7,q\n")  # it may well get the same inode
    other = live.resumed()
    assert other.poll() == ["7,7,q"]
    assert "rows may be lost" in other.said[0]
    other.follower.close()


def test_a_file_that_is_away_for_a_moment_is_not_read_again(live):
    live.poll()
    away = live.path.rename(live.path.with_name("elsewhere"))
    other = live.resumed()
    assert other.poll() == []
    assert other.follower.trouble == "file gone"
    assert other.follower.position() == live.follower.position()
    append(away, b"2,2,q\n")
    away.rename(live.path)
    assert other.poll() == ["2,2,q"]
    assert other.said == ["live.csv: file gone, waiting", "live.csv: is there again"]
    other.follower.close()


def test_a_file_that_cannot_be_read_for_a_moment_is_not_taken_for_another(live, monkeypatch):
    live.poll()
    append(live.path, b"2,2,q\n")
    other = live.resumed()

    def refuse(*_arguments):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(tail.os, "open", refuse)
        assert other.poll() == []
        assert other.follower.trouble == "file cannot be read (Permission denied)"
    assert other.poll() == ["2,2,q"]
    other.follower.close()


def test_a_file_from_the_future_is_left_when_nobody_writes_to_it(live):
    live.poll()
    rotate(live.path, HEADER + b"2,2,q\n")
    age(live.path.with_name("live.csv.1"), -3600)
    other = live.resumed()
    assert other.poll() == []
    other.wait()
    assert other.poll() == ["2,2,q"]
    other.follower.close()


def test_the_order_of_rotated_files_outlives_a_clock_that_is_set_back(live):
    live.poll()
    rotate(live.path, HEADER + b"2,2,q\n")
    age(live.path, 3600)
    rotate(live.path, HEADER + b"3,3,p\n")
    age(live.path, 7200)
    rotate(live.path, HEADER + b"4,4,q\n")
    other = live.resumed()
    for _ in range(5):
        other.poll()
        other.wait()
    assert other.rows == ["2,2,q", "3,3,p", "4,4,q"]
    other.follower.close()


def test_numbers_that_count_up_are_no_later_files(live):
    """As some programs do, which rename the last file alone."""
    older = live.path.with_name("live.csv.1")
    older.write_bytes(HEADER + b"0,0,p\n")
    age(older, 10)
    live.poll()
    time.sleep(0.02)  # the time of a rename has no finer grain
    live.path.rename(live.path.with_name("live.csv.2"))
    live.path.write_bytes(HEADER + b"2,2,q\n")
    live.poll()
    live.wait()
    assert live.poll(10) == ["2,2,q"]


def test_a_file_that_stayed_empty_is_not_followed_by_the_one_before(tmp_path):
    """It was made before the last row was written to that one."""
    path = tmp_path / "live.csv"
    path.with_name("live.csv.1").write_bytes(HEADER + b"1,1,p\n")
    path.write_bytes(HEADER)
    age(path, 10)
    live = Watched(path)
    live.poll()
    rotate(path, HEADER + b"2,2,q\n")
    live.poll()
    live.wait()
    assert live.poll(10) == ["2,2,q"]
    live.follower.close()


def test_a_copy_of_the_file_is_no_later_file(live):
    live.poll()
    copy = live.path.with_name("live.csv-20260101")
    copy.write_bytes(live.path.read_bytes())
    age(copy, -10)
    rotate(live.path, HEADER + b"2,2,q\n")
    live.poll()
    live.wait()
    assert live.poll(10) == ["2,2,q"]


def test_rotated_files_are_sought_where_a_link_leads(tmp_path):
    (tmp_path / "data").mkdir()
    target = tmp_path / "data" / "20260101.csv"
    target.write_bytes(HEADER + b"1,1,p\n")
    link = tmp_path / "live.csv"
    link.symlink_to(target)
    live = Watched(link)
    assert live.poll() == ["1,1,p"]
    append(target, b"2,2,q\n")
    rotate(target, HEADER + b"3,3,p\n")
    age(target.with_name("20260101.csv.1"), 2 * GRACE)
    other = live.resumed()
    assert other.poll(10) == ["2,2,q", "3,3,p"]
    other.follower.close()


def test_files_after_one_that_was_compressed_in_the_meantime_are_read(live):
    live.poll()
    age(live.path, 20)
    live.poll()
    rotate(live.path, HEADER + b"2,2,q\n")
    rotate(live.path, HEADER + b"3,3,p\n")
    live.path.with_name("live.csv.2").unlink()
    age(live.path.with_name("live.csv.1"), 10)
    other = live.resumed()
    assert other.poll(10) == ["2,2,q", "3,3,p"]
    assert "rows may be lost" in other.said[0]
    other.follower.close()


def test_an_older_file_with_the_same_wide_header_is_no_copy(tmp_path):
    names = ["t", "a", "y", *(f"a sensor with the number {i}" for i in range(60))]
    header = ",".join(names).encode() + b"\n"
    path = tmp_path / "live.csv"
    row = b"%d,1,p" + b"," * 60 + b"\n"
    path.with_name("live.csv.2").write_bytes(header + b"".join(row % i for i in range(30)))
    age(path.with_name("live.csv.2"), 100)
    path.write_bytes(header + row % 50)
    live = Watched(path, names)
    live.poll()
    path.unlink()
    path.write_bytes(header + row % 60)
    other = live.resumed(names=names)
    assert [line.split(",")[0] for line in other.poll(10)] == ["60"]
    other.follower.close()


def test_a_copytruncate_in_the_meantime_is_made_good_from_the_copy(live):
    live.poll()
    append(live.path, b"2,2,q\n")
    live.path.with_name("live.csv-20240101").write_bytes(live.path.read_bytes())
    live.path.write_bytes(HEADER + b"3,3,p\n")
    age(live.path.with_name("live.csv-20240101"), 2 * GRACE)
    other = live.resumed()
    assert other.poll(10) == ["2,2,q", "3,3,p"]
    other.follower.close()


def test_other_files_with_a_similar_name_are_left_alone(live):
    live.poll()
    for name in ("live.csv.run", "live.csv.1.gz", "live.csv.bak", "live.csv2"):
        live.path.with_name(name).write_bytes(HEADER + b"9,9,p\n")
    rotate(live.path, HEADER + b"2,2,q\n")
    live.poll()
    live.wait()
    assert live.poll(10) == ["2,2,q"]


def test_a_folder_that_cannot_be_listed_is_no_reason_to_read_again(live, monkeypatch):
    live.poll()
    append(live.path, b"2,2,q\n")
    other = live.resumed()

    def refuse(_folder):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tail.os, "listdir", refuse)
    assert other.poll() == ["2,2,q"]
    other.follower.close()


@pytest.mark.parametrize(
    "wrong",
    [
        {"inode": "1"},
        {"changed": None},
        {"byte": -1},
        {"head": "zz"},
        {"head": 7},
        {"behind": ""},
        {"names": ["t"]},
        {"refused": 3},
        {"skip_to": 0.5},
    ],
    ids=str,
)
def test_a_position_that_nobody_wrote_is_refused(live, wrong):
    live.poll()
    with pytest.raises(DamagedError):
        Watched(live.path).follower.restore(live.follower.position() | wrong)
