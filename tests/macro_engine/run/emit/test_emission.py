"""Predictions as they are made."""

import csv
import json
import os
import subprocess
import sys
import threading
import time

import polars as pl
import pytest
from busy import within
from made_runs import SETTINGS, engine, live_engine, run, run_until, write_stream

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.options.settings import Layer
from macro_engine.run.emit import target as emit_target
from macro_engine.run.emit.target import MOST_WAITING, AppendedFile, StandardOutput
from macro_engine.run.engine import Engine
from macro_engine.stream.opening import open_stream


def emitting(path, to, run_file=None, outcomes=False, **options):
    opened = open_stream([path], [Layer.read("test", SETTINGS | options, of_user=True)])
    return Engine(opened, run_file=run_file, emit=str(to), emit_outcomes=outcomes)


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv", 400)


def test_a_line_a_row_says_what_is_predicted(stream, tmp_path):
    run(emitting(stream, tmp_path / "o.jsonl", outcomes=True))
    made = engine(stream, predictions=tmp_path / "p.parquet", trace=tmp_path / "t.parquet")
    run(made)
    expected = pl.read_parquet(tmp_path / "p.parquet")
    trace = pl.read_parquet(tmp_path / "t.parquet")
    found = lines_of(tmp_path / "o.jsonl")
    said = [line for line in found if "outcome" not in line]
    assert [line["row"] for line in said] == list(range(400))
    assert [line["prediction"] for line in said] == expected["ftl"].to_list()
    assert [line["step"] for line in said] == expected["step"].to_list()
    assert said[0]["time"] == expected["time"][0].isoformat()
    assert all(line["key"] is None and line["strategy"] == "ftl" for line in said)
    assert [line["p"]["1"] for line in said] == pytest.approx(expected["p_1"].to_list(), abs=1e-5)
    members = made.pipeline.names.member_names
    last = said[-1]
    step = trace.filter(pl.col("step") == last["step"])
    assert step["active"][members.index(last["member"])] == last["active"]
    outcomes = {line["row"]: line["outcome"] for line in found if "outcome" in line}
    assert [outcomes[row] for row in range(400)] == expected["label"].to_list()


def test_csv_has_the_probabilities_in_columns(stream, tmp_path):
    run(emitting(stream, tmp_path / "o.csv", outcomes=True))
    with (tmp_path / "o.csv").open(newline="") as file:
        found = list(csv.DictReader(file))
    assert [*found[0]] == [
        "key", "row", "time", "step", "prediction", "p_0", "p_1", "strategy", "active", "member",
        "outcome",
    ]  # fmt: skip
    assert len(found) == 800
    assert all((line["outcome"] == "") == (line["p_0"] != "") for line in found)


@pytest.mark.parametrize("delay", [{}, {"label_delay": "90m"}])
def test_a_resumed_run_writes_each_line_once(stream, tmp_path, delay):
    options = {"outcomes": True} | delay
    run(emitting(stream, tmp_path / "whole.jsonl", tmp_path / "whole.run", **options))
    to, run_file = tmp_path / "o.jsonl", tmp_path / "r.run"
    for steps in (5, 20):
        run_until(emitting(stream, to, run_file, **options), steps)
        with to.open("a") as file:  # as a killed run leaves it
            file.write('{"key": null, "row": 77, "ti')
    run(emitting(stream, to, run_file, **options))
    assert to.read_text() == (tmp_path / "whole.jsonl").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("delay", [[], ["--label-delay", "90m"]])
def test_a_killed_run_writes_each_line_once(tmp_path, delay):
    stream = write_stream(tmp_path / "d.csv", 1800)
    options = [f"--{name}={value}" for name, value in SETTINGS.items()]

    def start(to, run_file, *pace):
        command = [sys.executable, "-m", "macro_tui", "replay", str(stream), *options, *delay]
        outputs = ["--emit", str(to), "--emit-outcomes", "--run", str(run_file), *pace]
        return subprocess.Popen(
            [*command, *outputs, "--headless"], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    assert start(tmp_path / "whole.jsonl", tmp_path / "whole.run").wait() == 0
    to = tmp_path / "o.jsonl"
    for lines in (50, 2000):
        process = start(to, tmp_path / "r.run", "--rate", "1500")
        while not to.exists() or to.read_bytes().count(b"\n") < lines:
            time.sleep(0.01)
        process.kill()
        process.wait()
    assert start(to, tmp_path / "r.run").wait() == 0
    assert to.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_file_that_was_cut_off_is_refused(stream, tmp_path):
    to, run_file = tmp_path / "o.jsonl", tmp_path / "r.run"
    run_until(emitting(stream, to, run_file), 20)
    to.write_text("")
    with pytest.raises(MacroError, match="put the file back"):
        run(emitting(stream, to, run_file))


def test_a_new_run_appends_to_its_own_kind_only(stream, tmp_path):
    to = tmp_path / "o.csv"
    run(emitting(stream, to))
    run(emitting(stream, to))
    text = to.read_text()
    assert text.count("prediction") == 1
    assert text.count("\n") == 801
    to.write_text("something else\n")
    with pytest.raises(UsageError, match="holds something other"):
        run(emitting(stream, to))
    assert to.read_text() == "something else\n"


def test_a_second_run_does_not_write_to_the_same_file(stream, tmp_path):
    first = emitting(stream, tmp_path / "o.jsonl")
    with pytest.raises(UsageError, match="another run writes to"):
        emitting(stream, tmp_path / "o.jsonl")
    run(first)
    run(emitting(stream, tmp_path / "o.jsonl"))
    assert len(lines_of(tmp_path / "o.jsonl")) == 800


@pytest.mark.parametrize("how", ["moved", "deleted", "emptied"])
def test_a_file_that_is_rotated_goes_on_in_a_new_one(tmp_path, how):
    said, path = [], tmp_path / "o.csv"
    file = AppendedFile(path, said.append)
    file.begin(b"key\n")
    file.write(b"1\n")
    if how == "moved":
        path.rename(tmp_path / "o.csv.1")
    elif how == "deleted":
        path.unlink()
    else:
        os.truncate(path, 0)
    file.write(b"2\n")
    file.write(b"3\n")
    file.close()
    assert path.read_bytes() == b"key\n2\n3\n"
    assert file.state() == {"length": 8}
    if how == "moved":
        assert (tmp_path / "o.csv.1").read_bytes() == b"key\n1\n"
    assert len(said) == 1
    assert "by another program" in said[0]


@pytest.mark.slow
def test_standard_output_takes_lines_or_a_document(stream):
    options = [f"--{name}={value}" for name, value in SETTINGS.items()]
    command = [sys.executable, "-m", "macro_tui", "replay", str(stream), *options, "--emit", "-"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "--emit -: --json writes to standard output too" in done.stderr
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert len([json.loads(line) for line in done.stdout.splitlines()]) == 400


def test_rows_of_a_live_feed_are_emitted_before_their_step_closes(tmp_path):
    live = write_stream(tmp_path / "live.csv", 25)
    made = live_engine(live, every="1d", classes="0,1")
    engine_ = Engine(made.opened, emit=str(tmp_path / "o.jsonl"))
    seen = []

    def progress():
        text = (tmp_path / "o.jsonl").read_text()
        if text.count("\n") == 25:
            seen.append(engine_.steps)
            engine_.stop()

    engine_.listener.progress = progress
    run(engine_)
    assert seen[0] == 0
    assert [line["row"] for line in lines_of(tmp_path / "o.jsonl")] == list(range(25))


def test_a_reader_that_stops_reading_stops_nobody():
    said = []
    read, write = os.pipe()
    pipe = StandardOutput(said.append, write)
    line = b"x" * 99 + b"\n"
    started = time.monotonic()
    for _ in range(MOST_WAITING // 100_000 + 2):
        pipe.write(line * 1000)
    assert time.monotonic() - started < within(5)
    assert pipe.lost
    assert "further ones are lost" in said[0]
    taken = []

    def take():
        while data := os.read(read, 1 << 16):
            taken.append(data)

    reader = threading.Thread(target=take)
    reader.start()
    pipe.close()
    os.close(write)
    reader.join()
    assert b"".join(taken) == line * (len(b"".join(taken)) // 100)


def test_a_reader_that_is_slow_gets_every_line():
    said = []
    read, write = os.pipe()
    pipe = StandardOutput(said.append, write)
    lines = [b"%d " % i * 40 + b"\n" for i in range(3000)]
    pipe.write(b"".join(lines))
    taken = []

    def take():
        time.sleep(0.6)  # longer than a state waits for it
        while data := os.read(read, 1 << 16):
            taken.append(data)
            time.sleep(0.02)

    reader = threading.Thread(target=take)
    reader.start()
    pipe.close()
    os.close(write)
    reader.join()
    assert b"".join(taken) == b"".join(lines)
    assert [text.endswith("lines wait for the reader of standard output") for text in said] == [
        True
    ]


def test_lines_that_nobody_takes_are_given_up_whole_and_counted(monkeypatch):
    monkeypatch.setattr(emit_target, "PATIENCE_AT_END", 0.1)
    said = []
    read, write = os.pipe()
    pipe = StandardOutput(said.append, write)
    pipe.write((b"x" * 99 + b"\n") * 3000)
    pipe.close()
    os.set_blocking(read, False)
    taken = os.read(read, 1 << 20)
    assert taken.endswith(b"\n")
    assert f"{3000 - len(taken) // 100:,} lines were lost" in said[-1]
    os.close(read)
    pipe.thread.join()
    os.close(write)


def test_a_state_is_stored_after_the_lines_before_it_are_written():
    said = []
    read, write = os.pipe()
    pipe = StandardOutput(said.append, write)
    pipe.write(b"line\n" * 1000)
    pipe.state()
    os.set_blocking(read, False)
    assert os.read(read, 1 << 16) == b"line\n" * 1000
    pipe.write(b"line\n" * 100_000)
    for _ in range(3):  # a reader who does not read is waited for once
        started = time.monotonic()
        pipe.state()
    assert time.monotonic() - started < emit_target._PATIENCE_TO_STORE
    os.close(read)
    pipe.close()
    os.close(write)


def test_a_reader_that_is_gone_stops_nobody():
    said = []
    read, write = os.pipe()
    os.close(read)
    pipe = StandardOutput(said.append, write)
    pipe.write(b"line\n")
    pipe.close()
    os.close(write)
    assert "cannot be written any more" in said[0]
