"""A live stream is opened as soon as enough of it is there."""

import pytest
from made_files import append

from macro_engine.core.errors import MacroError
from macro_engine.options.settings import Layer
from macro_engine.stream.live.beginning import FileOrigin
from macro_engine.stream.opening import StoredStream, open_stream
from macro_engine.stream.table import Rejections

COLUMNS = {"time": "t", "label": "y", "features": "a", "categorical": "", "every": "1m"}


class Waiting:
    """Has something happen at each wait, in order; keeps what was waited for."""

    def __init__(self, *happenings):
        self.happenings = list(happenings)
        self.why = []

    def __call__(self, why):
        self.why.append(why)
        self.happenings.pop(0)()


def opened(path, wait=None, from_now=False, **options):
    layer = Layer.read("test", options, of_user=True)
    return open_stream(FileOrigin(path, from_now), [layer], wait=wait or Waiting())


def rows_of(source, polls=5):
    return [
        ",".join(row)
        for _ in range(polls)
        for table in source.poll()
        for row in zip(*(table.columns[name].texts() for name in ("t", "a", "y")), strict=True)
    ]


@pytest.fixture
def live(tmp_path):
    return tmp_path / "live.csv"


def test_from_now_is_not_from_when_there_was_enough_to_guess_from(live):
    rows = [
        b"2024-01-01T00:%02d,%d,%s\n" % (i // 60, i % 60, b"pq"[i % 2 :][:1]) for i in range(600)
    ]
    live.write_bytes(b"t,a,y\n" + b"".join(rows[:100]))
    wait = Waiting(lambda: append(live, b"".join(rows[100:])))
    source = opened(live, wait, from_now=True, label="y").reader(Rejections()).source
    assert "100/500" in wait.why[0]
    assert len(rows_of(source)) == 500
    source.close()


def test_from_now_reads_all_of_a_file_that_is_not_there_yet(live):
    wait = Waiting(lambda: live.write_bytes(b"t,a,y\n0,1,p\n"))
    source = opened(live, wait, from_now=True, **COLUMNS).reader(Rejections()).source
    assert rows_of(source) == ["0,1,p"]
    source.close()


def test_nul_bytes_at_the_start_of_a_line_are_no_reason_to_refuse_a_file(live):
    live.write_bytes(bytes(20) + b"t,a,y\n0,1,p\n" + bytes(5) + b"1,1,q\n")
    source = opened(live, **COLUMNS).reader(Rejections()).source
    assert rows_of(source) == ["0,1,p", "1,1,q"]
    source.close()


def test_nul_bytes_within_a_line_are(live):
    live.write_bytes("t,a,y\n0,1,p\n".encode("utf-16-le"))
    with pytest.raises(MacroError, match="NUL bytes"):
        opened(live, **COLUMNS)


def test_the_rest_of_a_header_is_waited_for(live):
    live.write_bytes(b't,a,"two\n')
    wait = Waiting(lambda: append(live, b'lines",y\n0,1,,p\n'))
    source = opened(live, wait, **COLUMNS).reader(Rejections()).source
    assert wait.why == ["waiting for the rest of the header, which opens a quote"]
    assert source.layout.names == ["t", "a", "two\nlines", "y"]
    assert rows_of(source) == ["0,1,p"]
    source.close()


def test_times_written_in_a_way_of_their_own_are_waited_for_though_all_columns_are_named(live):
    rows = [f"{1 + i // 24:02}.02.2024 {i % 24:02}:00,1,{'pq'[i % 2]}\n" for i in range(500)]
    live.write_text("t,a,y\n" + rows[0])
    wait = Waiting(lambda: append(live, "".join(rows[1:]).encode()))
    assert opened(live, wait, **COLUMNS).settings["time_format"] == "%d.%m.%Y %H:%M"
    assert "how times are written, 1/500; --time-format" in wait.why[0]


@pytest.mark.parametrize(
    ("delimiter", "given", "lacking"),
    [
        (",", {"label": "y", "features": ["a"]}, "--time and --categorical"),
        (";", COLUMNS, "--decimal"),
    ],
)
def test_only_options_that_are_lacking_are_called_the_way_to_begin_at_once(
    live, delimiter, given, lacking
):
    rows = ["t,a,y\n", *(f"2024-02-01 {i % 24:02}:00,1.5,{'pq'[i % 2]}\n" for i in range(500))]
    rows = [row.replace(",", delimiter) for row in rows]
    live.write_text("".join(rows[:2]))
    wait = Waiting(lambda: append(live, "".join(rows[2:]).encode()))
    opened(live, wait, **given)
    assert wait.why[0].endswith(f" 1/500; {lacking} would settle it at once")


def test_a_resumed_stream_keeps_the_format_that_was_guessed(live):
    live.write_text("t,a,y\n")
    kept = COLUMNS | {"time_format": "%d.%m.%Y", "features": ["a"], "categorical": []}
    layer = Layer.read("test", {"every": "1m"}, of_user=True)
    stored = StoredStream(kept | {"delimiter": ",", "decimal": "."}, ["t", "a", "y"])
    again = open_stream(FileOrigin(live), [layer], stored=stored)
    assert again.spec.time_format == "%d.%m.%Y"
