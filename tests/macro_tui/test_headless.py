"""What a run without a screen says, where there is no terminal."""

import io
import random
import re

import pytest
from made_runs import engine, run, run_until, write_stream
from rich.console import Console

from macro_engine.run.events import Event
from macro_engine.run.summary import Summary
from macro_tui import progress
from macro_tui.birth_log import BirthLog
from macro_tui.cli import main
from macro_tui.headless import Headless
from macro_tui.summary import print_summary


@pytest.fixture
def headless(tmp_path, capsys):
    made = engine(write_stream(tmp_path / "d.csv", 50))
    headless = Headless("replay", made.opened)
    headless.engine = made
    headless.lines = lambda: capsys.readouterr().err.splitlines()
    return headless


def births(headless, count):
    for step in range(count):
        headless.listener.event(Event(step, None, "birth", f"new subroutine #{step} at 0.1"))


def test_a_few_births_have_a_line_each(headless):
    births(headless, 20)
    assert headless.lines() == [f"step {i}: new subroutine #{i} at 0.1" for i in range(20)]


def test_births_without_a_line_are_told_by_the_next_line(headless):
    births(headless, 450)
    assert len(headless.lines()) == 50
    headless.listener.event(Event(450, None, "leader", "FTL leader 0.1 -> 0.2"))
    headless.listener.event(Event(451, None, "leader", "FTL leader 0.2 -> 0.1"))
    assert headless.lines() == [
        "step 450: FTL leader 0.1 -> 0.2 (400 births since the last line)",
        "step 451: FTL leader 0.2 -> 0.1",
    ]


def test_the_line_of_the_minute_tells_them_too(headless, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress, "monotonic", lambda: now[0])
    with progress.progress_bar(headless.console) as headless.show_progress:
        births(headless, 51)
        headless.lines()
        headless.listener.progress()
        assert headless.lines() == []
        for said in (
            "0%  no step closed yet  starting (1 birth since the last line)",
            "0%  no step closed yet  starting",
        ):
            now[0] += 60
            headless.listener.progress()
            assert headless.lines() == [said]


def test_room_for_births_comes_back_with_time():
    now = [0.0]
    log = BirthLog(lambda: now[0])
    assert sum(log.has_line() for _ in range(100)) == 50
    now[0] += 600
    assert sum(log.has_line() for _ in range(100)) == 10
    now[0] += 1e6
    assert sum(log.has_line() for _ in range(100)) == 50


def test_a_storm_of_births_is_a_short_log_that_names_the_option(tmp_path, capsys):
    rng = random.Random(1)
    lines = [f"{rng.random()},{rng.randrange(2)}" for _ in range(1100)]
    (tmp_path / "d.csv").write_text("a,y\n" + "\n".join(lines) + "\n")
    options = ["--thresholds", "0.000001", "--distance", "features", "--max-subroutines", "none"]
    assert main(["replay", str(tmp_path / "d.csv"), "--headless", *options]) == 0
    said = capsys.readouterr().err.splitlines()
    assert len(said) < 120
    (growth,) = [line for line in said if "1,000 subroutines" in line]
    assert "1,000 subroutines at 0.000001: each slows every step; --max-subroutines N" in growth
    told = [line for line in said if "since the last line" in line]
    assert growth in told
    assert told[-1].endswith("births since the last line")  # those after the growth


def summary_of(made):
    text = io.StringIO()
    summary = Summary.read(made.summary(), made.opened.input_names, made.rejections)
    print_summary(summary, Console(file=text, width=200))
    return text.getvalue()


def test_the_summary_says_at_which_share_a_recording_was_stopped(tmp_path):
    path = write_stream(tmp_path / "d.csv", 2000)
    made = run_until(engine(path), 20)
    assert 0 < made.done < 1
    assert f"stopped at {made.done:.1%} of the recording" in summary_of(made)
    whole = run(engine(path))
    whole.stop()  # as `q` does at the end
    assert "stopped" not in summary_of(whole)


def test_the_classes_of_a_rule_are_called_by_the_rule(tmp_path):
    path = write_stream(tmp_path / "d.csv", 600)
    said = summary_of(run(engine(path, label="late > 0", metric="recall")))
    assert "precision, recall and F1 are of class 'late > 0'" in said
    assert re.search(r"^label +predicted not late > 0 +predicted late > 0$", said, re.MULTILINE)
    assert "recall of '1'" not in said


def test_the_summary_judges_by_every_metric_and_by_the_one_that_was_chosen(tmp_path):
    path = write_stream(tmp_path / "d.csv", 2000)
    plain = summary_of(run(engine(path)))
    assert re.search(r"^since the start +error +log loss +balanced .* F1$", plain, re.MULTILINE)
    assert re.search(r"^last \d+ steps +error ", plain, re.MULTILINE)
    assert "--metric logloss has them computed" in plain
    assert re.search(r"^label +predicted 0 +predicted 1$", plain, re.MULTILINE)
    assert "FTL makes " in plain
    asked = summary_of(run(engine(path, metric="logloss")))
    assert "has them computed" not in asked
    assert "FTL makes " in asked  # luck and origin are said of errors
    assert re.search(r"^FTL: log loss 0\.\d+, .* the marginal baseline\.$", asked, re.MULTILINE)
    assert "FTL: recall of '0' " in summary_of(run(engine(path, metric="recall", **{"class": "0"})))


def test_a_stop_of_a_replay_is_followed_by_the_summary(tmp_path, capsys):
    made = engine(write_stream(tmp_path / "d.csv", 2000))
    headless = Headless("replay", made.opened)
    made.report.listener = headless.listener
    headless.listener.progress = made.stop
    with pytest.raises(KeyboardInterrupt):
        headless.run(made)
    assert "of the recording" in capsys.readouterr().err


def test_what_is_said_of_the_lead_stands_with_whose_lead_it_is(tmp_path):
    """Of luck no share is said, nor of a lead that is zero, over rows or to the last bit."""
    made = run(engine(write_stream(tmp_path / "d.csv", 600), strategies="ftl,blend"))
    document = made.summary()
    earner = {"number": 1, "rows": 0.5, "points": 0.7, "situation": ""}
    for points, low, high, said in (
        (1.5, 0.5, 2.0, "47% of the lead comes from #1"),
        (1e-17, -1.0, 2.0, "That may be luck: too early to tell (600 rows"),
        (-1e-17, 0.1, 2.0, "That may be luck: too early to tell (600 rows"),
        (0.0, -0.2, 0.3, "Level: within half a point of the baseline (-0.20 to +0.30"),
    ):
        document["lead"] |= {"points": points, "low": low, "high": high, "subroutines": [earner]}
        made.summary = lambda: document
        lines = summary_of(made).splitlines()
        place = next(i for i, line in enumerate(lines) if line.startswith("FTL makes "))
        assert lines[place + 1].startswith(said)
        assert lines[place + 2].startswith("At ")
        assert lines[place + 3].startswith("blend makes ")
