"""Following a growing file: what happens to it is said, and every row is read once."""

import pytest
from made_files import age, append, rotate
from made_followers import HEADER

from macro_engine.stream.live.live_text import LONGEST_LINE


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
    assert live.said == ["live.csv: rotated: continuing with the new file (live.csv)"]
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


def test_a_slow_run_gets_few_rows_at_once(live):
    rows = [f"{i},{i},p" for i in range(2, 5000)]
    live.poll()
    append(live.path, "\n".join([*rows, ""]).encode())
    live.follower.most_rows = 200
    assert 0 < len(live.poll(1)) < 2000
    assert live.follower.has_more
    live.follower.most_rows = None
    live.poll(3)
    assert live.rows == ["1,1,p", *rows]
