"""`tail` and `feed`, as a user types them."""

import json
import shlex
import signal
import subprocess
import sys
import time
import tomllib

import pytest
from busy import within
from made_runs import write_stream

from macro_engine.core.errors import MacroError
from macro_engine.run.store.runfile import RunReader
from macro_tui.cli import main

OPTIONS = ["--time", "when", "--label", "late", "--features", "a,b", "--every", "30m"]


@pytest.fixture
def stream(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_stream(tmp_path / "d.csv", 1500, garbage=0.01)


def start(*arguments, **options):
    command = [sys.executable, "-m", "macro_tui", *arguments]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **options)


def wait_for_steps(run_file, steps):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        time.sleep(0.05)
        try:
            reader = RunReader(run_file)
        except MacroError:  # it is only just being made
            continue
        found = reader.steps
        reader.close()
        if found >= steps:
            return
    raise AssertionError(f"{run_file} has no {steps} steps")


def stop(tail):
    tail.send_signal(signal.SIGTERM)
    tail.wait(timeout=60)  # before its input is closed, which would be an end of its own
    _, errors = tail.communicate()
    assert tail.returncode == 130, errors
    return errors


@pytest.mark.slow
@pytest.mark.usefixtures("stream")
def test_what_feed_writes_tail_reads_without_options_as_replay_does(tmp_path, capsys):
    assert main(["replay", "d.csv", *OPTIONS, "--predictions", "replay.csv", "--json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    tail = start("tail", "live.csv", "--close-after", "never", "--run", "a.run", "--headless", "--predictions", "tail.csv")  # fmt: skip
    assert "live.csv: there is no such file yet: waiting for it" in tail.stderr.readline()
    assert main(["feed", "d.csv", *OPTIONS, "--to", "live.csv", "--rate", "20000"]) == 0
    assert tomllib.loads((tmp_path / "live.toml").read_text())["every"] == "30m"
    wait_for_steps(tmp_path / "a.run", steps - 1)
    stop(tail)
    whole = (tmp_path / "replay.csv").read_text().splitlines()
    part = (tmp_path / "tail.csv").read_text().splitlines()
    assert len(whole) - 20 < len(part) < len(whole)
    assert part == whole[: len(part)]


@pytest.mark.slow
@pytest.mark.parametrize("made_by", ["feed", "inspect"])
def test_a_toml_of_a_stream_without_times_leaves_tail_nothing_to_wait_for(
    tmp_path, monkeypatch, made_by
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d.csv").write_text("a,y\n" + "".join(f"{i},{'pq'[i % 2]}\n" for i in range(30)))
    if made_by == "feed":
        assert main(["feed", "d.csv", "--to", "live.csv", "--speed", "max"]) == 0
    else:
        assert main(["inspect", "d.csv", "--write"]) == 0
    name = "live.csv" if made_by == "feed" else "d.csv"
    tail = start(
        "tail", name, "--classes", "p,q", "--scale", "none", "--run", "a.run", "--headless"
    )
    wait_for_steps(tmp_path / "a.run", 30)
    assert "waiting for rows" not in stop(tail)


@pytest.mark.slow
def test_a_stopped_tail_goes_on_with_the_same_command(stream, tmp_path):
    lines = stream.read_bytes().splitlines(True)
    live = tmp_path / "live.csv"
    live.write_bytes(b"".join(lines[:1000]))
    command = ["tail", "live.csv", "--run", "a.run", "--headless", "--close-after", "never"]
    tail = start(*command)
    wait_for_steps(tmp_path / "a.run", 20)
    assert "label           late" in stop(tail)
    live.rename(tmp_path / "live.csv.1")
    live.write_bytes(lines[0] + b"".join(lines[1000:]))
    reader = RunReader(tmp_path / "a.run")
    before = reader.steps
    reader.close()
    tail = start(*command)
    wait_for_steps(tmp_path / "a.run", before + 10)
    errors = stop(tail)
    assert f"resuming after {before:,} steps" in errors
    assert "rotated in the meantime: finishing live.csv.1 first" in errors


@pytest.mark.slow
def test_standard_input_gives_what_a_replay_gives(stream, capsys):
    assert main(["replay", "d.csv", *OPTIONS, "--json"]) == 0
    replayed = json.loads(capsys.readouterr().out)
    done = subprocess.run(
        [sys.executable, "-m", "macro_tui", "tail", "-", *OPTIONS, "--json"],
        input=stream.read_bytes(),
        capture_output=True,
        check=True,
    )
    piped = json.loads(done.stdout)
    for name in ("rows", "steps", "errors", "thresholds", "rejected", "late"):
        assert piped[name] == replayed[name]
    assert b"standard input cannot be read again" in done.stderr


@pytest.mark.slow
def test_standard_input_goes_on_with_the_same_command_and_says_what_is_lost(stream, tmp_path):
    lines = stream.read_text().splitlines(True)
    command = ["tail", "-", *OPTIONS, "--run", "a.run", "--headless"]
    first = start(*command, stdin=subprocess.PIPE)
    first.stdin.write("".join(lines[:1000]))
    first.stdin.flush()
    wait_for_steps(tmp_path / "a.run", 98)
    errors = stop(first)
    assert "rows that arrive while no run reads it are lost" in errors
    reader = RunReader(tmp_path / "a.run")
    before = reader.steps
    reader.close()
    second = start(*command, stdin=subprocess.PIPE)  # lines 1000 to 1100 came to nobody
    _, errors = second.communicate("".join([lines[0], *lines[1100:]]), timeout=120)
    assert second.returncode == 0, errors
    assert f"resuming after {before:,} steps" in errors
    assert "what came between the last run and this one cannot be read again" in errors
    reader = RunReader(tmp_path / "a.run")
    assert reader.steps > before + 30
    reader.close()


@pytest.mark.slow
@pytest.mark.usefixtures("stream")
@pytest.mark.parametrize(
    ("redirection", "why"), [("<&-", "it is closed"), ("0>x", "Bad file descriptor")]
)
def test_a_standard_input_that_cannot_be_read_is_said(redirection, why):
    command = f"{shlex.quote(sys.executable)} -m macro_tui tail - --headless {redirection}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == f"macro-tui tail: standard input cannot be read: {why}\n"


@pytest.mark.usefixtures("stream")
def test_what_cannot_be_tailed_is_said(tmp_path, capsys):
    for arguments, code, words in (
        (["tail", "d.csv", "--close-after", "soon"], 2, "--close-after 'soon'"),
        (["tail", "-", "--from-now"], 2, "--from-now"),
        (["tail", "."], 1, "not a regular file"),
        (["tail", "d.csv", "--run", "d.csv"], 2, "is read in this run"),
        (["tail", "d.csv", "--label", "nothing", "--features", "a", "--categorical", "place", "--time", "when"], 2, "has no column 'nothing'"),
        (["tail", "p.csv"], 1, "is Parquet"),
        (["tail", "z.csv"], 1, "is compressed"),
        (["tail", "j.csv", "--time", "t"], 1, "is JSON lines; tail reads plain CSV"),
    ):  # fmt: skip
        (tmp_path / "p.csv").write_bytes(b"PAR1")
        (tmp_path / "z.csv").write_bytes(b"\x28\xb5\x2f\xfd\0\0")
        (tmp_path / "j.csv").write_text('{"t": 1, "y": "p"}\n')
        assert main(arguments) == code
        assert words in capsys.readouterr().err


@pytest.mark.usefixtures("stream")
def test_what_cannot_be_fed_is_said(tmp_path, capsys):
    (tmp_path / "there.toml").write_text("")
    (tmp_path / "n.csv").write_text("a,y\n1,p\n2,q\n")
    for arguments, code, words in (
        (["d.csv", "--to", "d.csv", "--rate", "5"], 1, "d.csv exists already"),
        (["d.csv", "--to", "there.csv", "--rate", "5"], 1, "there.toml exists already"),
        (["d.csv", "--to", "x.txt", "--rate", "5"], 2, "must end in .csv"),
        (["d.csv", "--to", "x.csv", "--rate", "0"], 2, "--rate"),
        (["n.csv", "--to", "x.csv", "--speed", "2x"], 2, "has no times"),
        (["d.csv", "--to", "x.csv", "--speed", "max", "--rotate-every", "x"], 2, "--rotate-every"),
    ):
        assert main(["feed", *arguments]) == code
        assert words in capsys.readouterr().err
    assert not (tmp_path / "x.csv").exists()


@pytest.mark.usefixtures("stream")
def test_feed_practises_late_rows_and_garbage(capsys):
    mishaps = ["--late-share", "0.05", "--garbage", "0.05", "--seed", "3"]
    assert main(["feed", "d.csv", *OPTIONS, "--to", "x.csv", "--speed", "max", *mishaps]) == 0
    capsys.readouterr()
    assert main(["replay", "d.csv", *OPTIONS, "--json"]) == 0
    clean = json.loads(capsys.readouterr().out)
    assert main(["replay", "x.csv", "--json"]) == 0
    spoilt = json.loads(capsys.readouterr().out)
    assert spoilt["rows"] == clean["rows"]
    assert spoilt["late"] > 0 == clean["late"]
    assert spoilt["rejected"] > clean["rejected"] + 30


@pytest.mark.slow
def test_feed_keeps_to_its_rate(stream):
    begun = time.monotonic()
    short = stream.with_name("short.csv")
    short.write_bytes(b"".join(stream.read_bytes().splitlines(True)[:101]))
    assert main(["feed", "short.csv", *OPTIONS, "--to", "x.csv", "--rate", "200"]) == 0
    assert 0.4 < time.monotonic() - begun < within(3)
    assert main(["feed", "short.csv", *OPTIONS, "--to", "y.csv", "--speed", "36000x"]) == 0
