"""A command that is told of alarms can hang, fail or shout; the run is none the worse."""

import time
from pathlib import Path

import pytest
from busy import within

from macro_engine.run.alarms import command as alarm_command
from macro_engine.run.alarms.alarms import Change, parse
from macro_engine.run.alarms.command import AlarmCommand

CHANGE = Change(parse("birth"), True, 4, None, "a subroutine was born")


@pytest.fixture
def told():
    return []


@pytest.mark.slow
def test_what_it_shouts_is_not_kept(told):
    command = AlarmCommand(
        ["sh", "-c", "yes no mail | head -c 4000000 >&2; exit 4"], "d.csv", told.append
    )
    command(CHANGE)
    command.close()
    assert told == ["--on-alarm sh: exit code 4: no mail"]


@pytest.mark.slow
def test_a_call_that_hangs_is_killed_with_all_that_it_started(told, tmp_path):
    words = ["sh", "-c", f"sleep 60 & echo $! > {tmp_path}/pid; wait"]
    command = AlarmCommand(words, "d.csv", told.append, seconds=0.5)
    command(CHANGE)
    command.close()
    assert [text.partition(" after ")[0] for text in told] == ["--on-alarm sh: killed"]
    status = Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/stat")
    end = time.monotonic() + 60
    while status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z":
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.slow
def test_at_the_end_nobody_waits_for_ever(told, monkeypatch):
    monkeypatch.setattr(alarm_command, "_PATIENCE", 0.2)
    command = AlarmCommand(["sleep", "60"], "d.csv", told.append)
    command(CHANGE)
    command(CHANGE)
    started = time.monotonic()
    command.close()
    assert time.monotonic() - started < within(5)
    assert [text.partition(": ")[2][:8] for text in told] == ["killed a", "an alarm"]
