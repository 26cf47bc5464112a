"""`macro-tui replay`, as a process."""

import asyncio
import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest
from busy import within

from macro_engine.run.engine import Engine
from macro_engine.stream.opening import open_stream
from macro_tui.cli import main
from macro_tui.replays import find_recording

COMMAND = [sys.executable, "-m", "macro_tui", "replay"]


@pytest.fixture
def stream(tmp_path):
    lines = (f"{i % 7},{'pq'[i // 50 % 2]}\n" for i in range(3000))
    path = tmp_path / "d.csv"
    path.write_text("a,y\n" + "".join(lines))
    return path


@pytest.mark.slow
def test_the_document_alone_goes_to_standard_output_and_events_to_the_log(stream):
    done = subprocess.run(
        [*COMMAND, stream, "--headless", "--json"], capture_output=True, text=True, check=True
    )
    summary = json.loads(done.stdout)
    assert (summary["rows"], summary["steps"]) == (3000, 3000)
    assert "blend makes" in done.stderr
    assert "step 0: new subroutine #1 at every threshold" in done.stderr
    assert "label           y" in done.stderr
    assert "d.csv: delimiter ',' sniffed" in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.slow
def test_without_a_monitor_it_runs_headless_and_says_so(stream):
    done = subprocess.run([*COMMAND, stream], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    assert done.stderr.startswith("standard output is not a terminal: running headless\n")


@pytest.mark.slow
@pytest.mark.parametrize("log", ["full", "closed"])
def test_the_end_of_the_log_is_not_the_end_of_the_run(stream, log):
    if log == "full":
        descriptor = os.open("/dev/full", os.O_WRONLY)
    else:
        reader, descriptor = os.pipe()
        os.close(reader)
    done = subprocess.run(
        [*COMMAND, stream, "--headless", "--json"],
        stdout=subprocess.PIPE, stderr=descriptor, check=False,
    )  # fmt: skip
    os.close(descriptor)
    assert json.loads(done.stdout)["steps"] == 3000
    assert done.returncode == 0


@pytest.mark.slow
def test_on_a_terminal_there_is_a_progress_bar_and_the_summary_stays(stream):
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, stream, "--headless"],
        stderr=follower,
        env={**os.environ, "TERM": "xterm-256color"},
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            data = os.read(leader, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    os.close(leader)
    assert process.wait() == 0
    assert b"\xe2\x94\x81" in shown  # the bar
    assert b"new subroutine" not in shown
    assert b"marginal baseline" in shown


@pytest.mark.slow
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupted_it_leaves_at_once_with_130_and_nothing_behind(stream, tmp_path, signum):
    slow = [*COMMAND, stream, "--subroutine", "river:forest.ARFClassifier(seed=1)", "--headless"]
    before = signal.signal(signum, signal.SIG_DFL)  # what is ignored here is ignored there too
    try:
        process = subprocess.Popen(
            [*slow, "--predictions", tmp_path / "p.csv"], stderr=subprocess.PIPE, text=True
        )
    finally:
        signal.signal(signum, before)
    for line in process.stderr:
        if line.startswith("step"):
            break
    time.sleep(0.1)
    process.send_signal(signum)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "macro-tui replay: interrupted"
    assert [p.name for p in tmp_path.iterdir()] == ["d.csv"]


def test_several_files_are_one_stream(tmp_path, stream, capsys):
    lines = stream.read_text().splitlines(keepends=True)
    (tmp_path / "1.csv").write_text("".join(lines[:1200]))
    (tmp_path / "2.csv").write_text("".join([lines[0], *lines[1200:]]))
    results = []
    for files in ([stream], [tmp_path / "1.csv", tmp_path / "2.csv"]):
        assert main(["replay", *map(str, files), "--json"]) == 0
        summary = json.loads(capsys.readouterr().out)
        del summary["seconds"], summary["distance_share"]
        results.append(summary)
    assert results[0] == results[1]


def test_no_block_keeps_the_engine_busy_for_long():
    opened = open_stream([find_recording("airline-IAH.parquet")])
    engine = Engine(opened)
    asyncio.run(engine.run())
    assert engine.pipeline.path == "compiled"
    assert engine.pipeline.longest_block < within(0.1)  # 50 ms is the bound


@pytest.mark.slow
@pytest.mark.parametrize("waits", [True, False])
def test_interrupted_while_it_compiles_it_leaves_soon(stream, tmp_path, waits):
    process = subprocess.Popen(
        [*COMMAND, stream], stderr=subprocess.PIPE, text=True,
        env=os.environ | {
            "XDG_CACHE_HOME": str(tmp_path / "empty"),
            "MACRO_TUI_COMPILER": "wait" if waits else "",
        },
    )  # fmt: skip
    for line in process.stderr:
        if "the fast path" in line:
            break
    time.sleep(1.0)
    process.send_signal(signal.SIGTERM)
    started = time.monotonic()
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err.splitlines()[-1] == "macro-tui replay: interrupted"
    assert time.monotonic() - started < within(8)
