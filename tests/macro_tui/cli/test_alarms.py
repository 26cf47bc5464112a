"""Alarms without a screen: what is logged, told to a command, and the exit code."""

import json
import sys

import pytest
from made_sessions import write_stream

from macro_engine.run.store.runfile import RunReader
from macro_tui.cli import main

QUICK = ["--every", "10m", "--thresholds", "0.05,0.2", "--history", "3", "--strategies", "ftl,ewa"]


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return write_stream(tmp_path_factory.mktemp("alarms") / "flights.csv")


def replay(stream, *options):
    return main(["replay", str(stream), *QUICK, "--headless", *options])


def command(tmp_path, code):
    """A program that runs some Python, as --on-alarm takes it."""
    script = tmp_path / "told.py"
    script.write_text(code)
    return f"{sys.executable} {script}"


def test_an_alarm_is_a_line_of_the_log_and_an_event(stream, tmp_path, capsys):
    run_file = tmp_path / "a.run"
    assert replay(stream, "--alarm", "ftl > 0.2", "--run", str(run_file)) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("ALARM ")]
    assert "raised: ftl > 0.2 (ftl " in lines[0]
    reader = RunReader(run_file)
    texts = [event.text for _, event in reader.events(["alarm"])]
    reader.close()
    assert [line.split(": ", 1)[1] for line in lines] == texts


def test_under_fail_on_alarm_the_exit_code_tells(stream):
    assert replay(stream, "--alarm", "ftl > 0.2", "--fail-on-alarm") == 3
    assert replay(stream, "--alarm", "ftl > 0.99", "--fail-on-alarm") == 0


@pytest.mark.slow
def test_a_command_gets_each_alarm_as_json(stream, tmp_path):
    told = tmp_path / "told.jsonl"
    code = f"import sys; open({str(told)!r}, 'a').write(sys.stdin.read())"
    rules = ["--alarm", "ftl > 0.2", "--on-alarm", command(tmp_path, code)]
    assert replay(stream, *rules) == 0
    documents = [json.loads(line) for line in told.read_text().splitlines()]
    assert documents[0]["rule"] == "ftl > 0.2"
    assert documents[0]["raised"]
    assert documents[0]["stream"] == "flights.csv"
    assert documents[0]["time"].startswith("2001-03-")


@pytest.mark.slow
def test_a_command_that_fails_is_an_event_and_no_more(stream, tmp_path, capsys):
    run_file = tmp_path / "a.run"
    code = "import sys; sys.exit('no pager')"
    options = [
        "--alarm",
        "ftl > 0.2",
        "--on-alarm",
        command(tmp_path, code),
        "--run",
        str(run_file),
    ]
    assert replay(stream, *options) == 0
    assert "exit code 1: no pager" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--alarm", "fire"], "is not a rule"),
        (["--alarm", "blend > 0.2"], "blend is not computed"),
        (["--on-alarm", "no-such-program-here"], "there is no program"),
        (["--on-alarm", "'unclosed"], "--on-alarm"),
        (["--theme", "pink"], "--theme 'pink' is unknown"),
    ],
)
def test_what_is_wrong_exits_with_2_without_a_screen(stream, capsys, options, message):
    assert replay(stream, *options) == 2
    assert message in capsys.readouterr().err


def test_what_is_wrong_is_said_before_a_terminal_is_asked_for(capsys):
    assert main(["demo", "--alarm", "fire"]) == 2
    assert "is not a rule" in capsys.readouterr().err


def test_many_labels_that_are_no_class_ring_by_themselves(stream, tmp_path, capsys):
    lines = stream.read_text().splitlines()
    for i in range(1500, 1600):
        lines[i] = lines[i].rpartition(",")[0] + ",early"
    path = tmp_path / "flights.csv"
    path.write_text("\n".join(lines))
    assert replay(path, "--fail-on-alarm") == 3
    assert "raised: unknown labels > 1%" in capsys.readouterr().err
