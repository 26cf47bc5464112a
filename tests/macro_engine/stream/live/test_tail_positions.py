"""Where a tail reads on: from now, from a position, among rotated files."""

import time

import pytest
from made_files import age, append, rotate
from made_followers import HEADER, Watched

from macro_engine.core.state import DamagedError
from macro_engine.stream.live import tail
from macro_engine.stream.live.rotation import FoundFile
from macro_engine.stream.live.tail import GRACE


def test_from_now_leaves_out_what_is_there(tmp_path):
    path = tmp_path / "live.csv"
    path.write_bytes(HEADER + b"1,1,p\n2,")
    live = Watched(path, after=FoundFile.at(path))
    assert live.poll() == []
    append(path, b"2,q\n")
    assert live.poll() == ["2,2,q"]
    assert live.lines == [3]
    live.follower.close()


def test_from_now_reads_what_it_leaves_out_for_the_order_of_columns(tmp_path):
    path = tmp_path / "live.csv"
    path.write_bytes(HEADER + b"1,1,p\ny,t,a\np,2,2\n" + b'p,3,"3\n')
    live = Watched(path, after=FoundFile.at(path))
    assert live.poll() == []
    append(path, b'3"\nq,4,4\n')
    assert live.poll() == ["3,3\n3,p", "4,4,q"]
    live.follower.close()


def test_from_now_is_from_when_it_was_asked_for(tmp_path):
    """The file may grow and be renamed before its columns are known."""
    path = tmp_path / "live.csv"
    path.write_bytes(HEADER + b"1,1,p\n")
    then = FoundFile.at(path)
    append(path, b"2,2,q\n")
    rotate(path, HEADER + b"3,3,p\n")
    age(path.with_name("live.csv.1"), 2 * GRACE)
    live = Watched(path, after=then)
    assert live.poll(5) == ["2,2,q", "3,3,p"]
    live.follower.close()


def test_from_now_goes_on_from_a_position_before_that_moment(tmp_path):
    path = tmp_path / "live.csv"
    path.write_bytes(HEADER + b"1,1,p\n")
    live = Watched(path, after=FoundFile.at(path))
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
