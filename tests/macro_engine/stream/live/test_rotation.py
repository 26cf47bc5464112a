"""Which file was read, and which ones come after it: by their names, and compressed or not."""

import gzip
import io
import os
import shutil
import tracemalloc
from contextlib import suppress

import made_files
import pytest
from made_files import PACK, age, append, rotate
from made_followers import HEADER, Watched

from macro_engine.stream.live import piece_size
from macro_engine.stream.live.compressed import PackedError, Unpacked
from macro_engine.stream.live.rotated_name import RotatedName
from macro_engine.stream.live.rotation import UNFINISHED
from macro_engine.stream.live.tail import GRACE


@pytest.fixture
def live(tmp_path):
    path = tmp_path / "live.csv"
    path.write_bytes(HEADER + b"1,1,p\n")
    age(path, 1000)
    watched = Watched(path)
    watched.poll()
    yield watched
    watched.follower.close()


def beside(path, added):
    return path.with_name(path.name + added)


def renamed(path, added, data):
    """The file gets another name, and a new one takes its place."""
    path.rename(beside(path, added))
    path.write_bytes(data)


def pack(path, packing=".gz", seconds=20):
    """Compress a file that was changed last so long ago."""
    packed = made_files.pack(path, packing)
    age(packed, seconds)
    return packed


def read_on(live, times=12, position=None):
    """What another one reads that goes on where this one stands, or stood."""
    position = position or live.follower.position()
    live.follower.close()
    other = Watched(live.path)
    other.follower.restore(position)
    for _ in range(times):
        other.poll()
        other.wait()
    other.follower.close()
    return other


@pytest.mark.parametrize(
    ("added", "date", "number"),
    [
        ("-20240131", (2024, 1, 31), None),
        ("-2024013113", (2024, 1, 31, 13), None),
        ("_20240131", (2024, 1, 31), None),
        (".2024-01-31", (2024, 1, 31), None),
        (".2024-01-31_13-05-59", (2024, 1, 31, 13, 5, 59), None),
        ("-2024-01-31T13", (2024, 1, 31, 13), None),
        ("-2024-01-31T13:05:00Z", (2024, 1, 31, 13, 5, 0), None),
        (".20240131T130500", (2024, 1, 31, 13, 5, 0), None),
        ("-20240131T13+0100", (2024, 1, 31, 13), None),
        ("-20240131-2", (2024, 1, 31, 2), None),
        ("-202401", (2024, 1), None),
        ("-1706706000", (1706706000,), None),
        (".1", None, 1),
        (".0", None, 0),
        ("-12", None, 12),
        (".old", None, None),
        (".12345", None, None),
        ("-31-01-2024", None, None),
    ],
)
def test_names_that_rotations_give(added, date, number):
    assert RotatedName.parse(added) == RotatedName(date, number)
    for packing in PACK:
        assert RotatedName.parse(added + packing) == RotatedName(date, number, packing)


@pytest.mark.parametrize("added", ["", ".gz", ".run", ".bak", "2", ".toml", ".1.zst", "-wal"])
def test_names_that_no_rotation_gives(added):
    assert RotatedName.parse(added) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("-20240101", "-20240102"),
        ("-2024-01-01T09", "-2024-01-01T13"),
        (".2023-12-31", ".2024-01-01"),
        ("-20240101", "-20240101-1"),
        ("-20240101-9", "-20240101-10"),
        ("-1704067200", "-1704153600"),
        (".2", ".1"),
        (".10", ".9"),
    ],
)
@pytest.mark.parametrize("touched", ["first", "second"])
def test_a_touched_file_keeps_its_place(live, first, second, touched):
    position = live.follower.position()
    append(live.path, b"2,2,q\n")
    renamed(live.path, first, HEADER + b"3,3,p\n")
    renamed(live.path, second, HEADER + b"4,4,q\n")
    age(beside(live.path, first), 200)
    age(beside(live.path, second), 100)
    age(beside(live.path, {"first": first, "second": second}[touched]), -500)
    assert read_on(live, position=position).rows == ["2,2,q", "3,3,p", "4,4,q"]


def test_a_touched_file_amid_others_hides_none(live):
    append(live.path, b"2,2,q\n")
    for number in (3, 4, 5):
        rotate(live.path, HEADER + f"{number},{number},p\n".encode())
    age(beside(live.path, ".2"), -500)
    assert read_on(live).rows == ["2,2,q", "3,3,p", "4,4,p", "5,5,p"]


def test_an_old_file_that_is_touched_is_not_read_when_the_one_that_was_read_is_gone(live):
    """Or all that come after it would be read again."""
    for day in (1, 2):
        beside(live.path, f"-2024010{day}").write_bytes(HEADER + b"0,0,p\n")
        age(beside(live.path, f"-2024010{day}"), 3000)
    age(beside(live.path, "-20240101"), -5000)
    live.path.unlink()
    live.path.write_bytes(HEADER + b"5,5,p\n")
    assert read_on(live).rows == ["5,5,p"]


@pytest.mark.parametrize("packing", PACK)
def test_a_file_that_was_compressed_is_read_on_at_the_right_byte(live, packing):
    append(live.path, b"2,")
    live.poll()
    append(live.path, b"2,q\n3,3,p\n")
    renamed(live.path, ".1", HEADER + b"4,4,q\n")
    pack(beside(live.path, ".1"), packing)
    other = read_on(live)
    assert other.rows == ["2,2,q", "3,3,p", "4,4,q"]
    assert other.lines == [3, 4, 2]
    assert other.said == [
        f"live.csv: rotated in the meantime: finishing live.csv.1{packing} first",
        "live.csv: rotated: continuing with the new file (live.csv)",
    ]


def test_compressed_files_in_between_are_read_in_their_order(live):
    append(live.path, b"2,2,q\n")
    for day, packing in enumerate((".xz", ".gz", ".bz2"), start=1):
        renamed(live.path, f"-2024010{day}", HEADER + f"{day + 2},0,p\n".encode())
        pack(beside(live.path, f"-2024010{day}"), packing)
    age(beside(live.path, "-20240102.gz"), -10)
    assert read_on(live, 20).rows == ["2,2,q", "3,0,p", "4,0,p", "5,0,p"]


def test_reading_goes_on_amid_a_compressed_file_that_gets_another_name(live, monkeypatch):
    append(live.path, b"".join(b"%d,2,q\n" % i for i in range(2, 40)))
    renamed(live.path, ".1", HEADER + b"40,4,q\n")
    packed = pack(beside(live.path, ".1"))
    monkeypatch.setattr(piece_size, "PIECE", 50)
    other = live.resumed()
    other.poll(3)
    assert 10 < len(other.rows) < 30
    packed.rename(beside(live.path, ".2.gz"))
    renamed(live.path, ".1", HEADER + b"41,4,q\n")
    age(beside(live.path, ".1"), 10)
    last = read_on(other, 20)
    assert [row.split(",")[0] for row in other.rows + last.rows] == [str(i) for i in range(2, 42)]


def test_a_copytruncate_with_compression_in_the_meantime_loses_nothing(live):
    append(live.path, b"2,2,q\n")
    beside(live.path, "-20240101").write_bytes(live.path.read_bytes())
    live.path.write_bytes(HEADER + b"3,3,p\n")
    pack(beside(live.path, "-20240101"))
    assert read_on(live).rows == ["2,2,q", "3,3,p"]


@pytest.mark.parametrize("seconds", [0, 20, -20])
def test_a_file_that_is_compressed_while_it_is_held_is_read_once(live, seconds):
    append(live.path, b"2,2,q\n")
    renamed(live.path, ".1", HEADER + b"3,3,p\n")
    pack(beside(live.path, ".1"), seconds=seconds)
    for _ in range(5):
        live.poll()
        live.wait()
    assert live.rows == ["1,1,p", "2,2,q", "3,3,p"]


def test_a_file_that_is_being_compressed_is_read_as_it_is(live):
    append(live.path, b"2,2,q\n")
    renamed(live.path, ".1", HEADER + b"3,3,p\n")
    age(beside(live.path, ".1"), 2 * GRACE)
    beside(live.path, ".1.gz").write_bytes(PACK[".gz"](HEADER)[:9])
    other = read_on(live)
    assert other.rows == ["2,2,q", "3,3,p"]
    assert "finishing live.csv.1 first" in other.said[0]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.9])
def test_a_compressed_file_that_is_not_whole_yet_is_waited_for(live, share):
    append(live.path, b"".join(b"%d,%d,q\n" % (i, i * i) for i in range(2, 400)))
    renamed(live.path, ".1", HEADER + b"400,4,q\n")
    packed = pack(beside(live.path, ".1"), seconds=0)
    whole = packed.read_bytes()
    packed.write_bytes(whole[: int(share * len(whole))])
    other = live.resumed()
    other.poll(5)
    assert other.follower.trouble is not None
    assert "live.csv.1.gz is not complete yet" in other.follower.trouble
    packed.write_bytes(whole)
    age(packed, 2 * GRACE)
    for _ in range(5):
        other.poll()
        other.wait()
    assert [row.split(",")[0] for row in other.rows] == [str(i) for i in range(2, 401)]
    assert other.rejected == []
    assert other.follower.trouble is None
    other.follower.close()


def test_a_later_compressed_file_that_is_not_whole_yet_is_waited_for(live):
    append(live.path, b"2,2,q\n")
    renamed(live.path, ".2", HEADER + b"3,3,p\n")
    pack(beside(live.path, ".2"))
    renamed(live.path, ".1", HEADER + b"4,4,q\n")
    packed = pack(beside(live.path, ".1"), seconds=0)
    whole = packed.read_bytes()
    packed.write_bytes(whole[:5])
    other = live.resumed()
    other.poll(5)
    assert other.rows == ["2,2,q"]
    assert "live.csv.1.gz is not complete yet" in other.follower.trouble
    packed.write_bytes(whole)
    age(packed, 2 * GRACE)
    other.poll(5)
    other.wait()
    other.poll(5)
    assert other.rows == ["2,2,q", "3,3,p", "4,4,q"]
    other.follower.close()


def cut(data):
    return data[: int(0.8 * len(data))]


def spoilt(data):
    place = int(0.8 * len(data))
    return data[:place] + bytes(40) + data[place + 40 :]


@pytest.mark.parametrize("packing", PACK)
@pytest.mark.parametrize("damage", [cut, spoilt])
def test_a_damaged_compressed_file_is_said_and_left(live, packing, damage):
    append(live.path, b"".join(b"%d,%d,q\n" % (i, i * i) for i in range(2, 4000)))
    renamed(live.path, ".1", HEADER + b"4000,4,q\n")
    packed = pack(beside(live.path, ".1"), packing)
    packed.write_bytes(damage(packed.read_bytes()))
    age(packed, 2 * UNFINISHED)
    other = live.resumed()
    for _ in range(20):
        other.poll()
        other.wait()
    names = [row.split(",")[0] for row in other.rows]
    assert names[-1] == "4000"
    told = [line for line in other.said if f"live.csv.1{packing} is damaged" in line]
    assert len(told) == 1
    assert "lost" in told[0]
    if damage is cut:  # what gzip makes of wrong bytes until it notices is anything
        assert names[:-1] == [str(i) for i in range(2, len(names) + 1)]
    assert other.follower.trouble is None
    other.follower.close()


def test_a_compressed_file_that_is_damaged_before_the_place_is_not_read_again(live):
    append(live.path, b"".join(b"%d,%d,q\n" % (i, i * i) for i in range(2, 4000)))
    live.poll(30)
    append(live.path, b"4000,1,p\n")
    renamed(live.path, ".1", HEADER + b"4001,4,q\n")
    packed = pack(beside(live.path, ".1"), seconds=-5)
    packed.write_bytes(packed.read_bytes()[:9000])
    age(packed, 2 * UNFINISHED)
    other = read_on(live)
    assert other.rows == ["4001,4,q"]
    assert other.said[0] == (
        "live.csv: live.csv.1.gz is damaged (it ends too soon): if it is the file that was read "
        "before, its further rows are lost"
    )
    assert "rows may be lost" in other.said[1]


def test_what_is_not_compressed_in_spite_of_its_name_is_said(live):
    append(live.path, b"2,2,q\n")
    renamed(live.path, ".2", HEADER + b"3,3,p\n")
    renamed(live.path, ".1", HEADER + b"4,4,q\n")
    beside(live.path, ".1").rename(beside(live.path, ".1.gz"))
    for added in (".2", ".1.gz"):
        age(beside(live.path, added), 2 * UNFINISHED)
    other = read_on(live, 20)
    assert other.rows == ["2,2,q", "4,4,q"]
    assert any("live.csv.1.gz is damaged after 0 bytes" in line for line in other.said)


@pytest.mark.slow
@pytest.mark.parametrize("packing", PACK)
def test_unpacking_takes_little_memory_whatever_the_place(tmp_path, packing):
    path = tmp_path / "zeros"
    path.write_bytes(PACK[packing](bytes(1 << 25) + b"end"))
    with path.open("rb") as file:
        unpacked = Unpacked(file.fileno(), packing)
        tracemalloc.start()
        assert unpacked.read((1 << 25) - 1, 10) == b"\0end"
        assert unpacked.read(5, 3) == bytes(3)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 1 << 24  # xz keeps 8 MB


def test_what_stands_before_damage_is_given_out_once(tmp_path):
    data = os.urandom(1 << 16)
    packed = gzip.compress(data)
    path = tmp_path / "cut"
    path.write_bytes(packed[:-5000])
    with path.open("rb") as file:
        unpacked = Unpacked(file.fileno(), ".gz")
        found = io.BytesIO()
        with suppress(PackedError):
            while True:
                found.write(unpacked.read(found.tell(), 1000))
        assert len(found.getvalue()) > 50_000
        assert data.startswith(found.getvalue())
        with pytest.raises(PackedError, match="ends too soon"):
            unpacked.read(found.tell(), 1000)


def test_names_that_contradict_each_other_lead_round_in_no_circle(live):
    """Copies by hand, of which the earlier one has the later date."""
    append(live.path, b"2,2,q\n")
    renamed(live.path, ".2", HEADER + b"3,3,p\n")
    shutil.copyfile(live.path, beside(live.path, "-20240106"))
    append(live.path, b"4,4,q\n")
    shutil.copyfile(live.path, beside(live.path, "-20240101"))
    renamed(live.path, ".1", HEADER + b"5,5,p\n")
    for seconds, added in enumerate((".1", "-20240101", "-20240106", ".2")):
        age(beside(live.path, added), 10 + 10 * seconds)
    other = read_on(live, 20)
    assert other.rows[0] == "2,2,q"
    assert other.rows[-1] == "5,5,p"
    assert len(other.rows) <= 6
    assert {"3,3,p", "4,4,q"} < set(other.rows)
