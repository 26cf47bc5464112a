"""Alarms over a run that ends, and over one that was begun before."""

import pytest
from made_sessions import (
    ended,
    monitor_of,
    open_main,
    session_over,
    settle,
    text_of,
    until,
)

from macro_engine.run.alarms.alarms import parse
from macro_engine.run.playing.pace import Destination
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.watched import WatchedRun

pytestmark = pytest.mark.slow

RULES = (parse("ftl > 0.3"), parse("birth"))


def up_to(row, run_file):
    """What makes an engine play up to a row, and record."""

    def prepare(engine):
        engine.run_file = run_file
        engine.pace.paused = True
        engine.pace.target = Destination(row=row)

    return prepare


def alarms_in(run_file):
    reader = RunReader(run_file)
    found = [(event.step, event.text) for _, event in reader.events(["alarm"])]
    reader.close()
    return found


async def watched(session, rules, rows, keys=()):
    """The screen over a session after so many rows, whose run is then left."""
    app = monitor_of(session, alarms=rules)
    async with app.run_test(size=(120, 30)) as pilot:
        await open_main(app, pilot)
        await until(lambda: session.snapshot.rows >= rows)
        await settle(app, pilot)
        await pilot.press(*keys)
        await settle(app, pilot)
        text = text_of(app)
    assert session.stop(60)
    session.close()
    return text


async def test_a_run_that_goes_on_repeats_no_alarm_of_its_past(stream, tmp_path):
    run_file = tmp_path / "a.run"
    session = session_over(stream, prepare=up_to(1200, run_file))
    assert " ALARM " in await watched(session, RULES, 1200)
    first = alarms_in(run_file)
    assert [text.split(":")[0] for _, text in first].count("raised") >= 2
    session = session_over(stream, prepare=up_to(1208, run_file))
    text = await watched(session, (parse("ftl > 0.9"), parse("birth")), 1208)
    assert " ALARM " not in text
    assert alarms_in(run_file) == first
    session = session_over(stream, prepare=up_to(2000, run_file))
    await watched(session, RULES, 2000)
    again = alarms_in(run_file)
    assert again[: len(first)] == first
    assert all(step >= 300 for step, _ in again[len(first) :])


async def test_what_still_holds_calls_and_is_no_event_again(stream, tmp_path):
    run_file, rules = tmp_path / "a.run", (parse("ftl > 0.2"),)
    await watched(session_over(stream, prepare=up_to(1200, run_file)), rules, 1200, "a")
    first = alarms_in(run_file)
    assert first[-1][1].startswith("raised")
    text = await watched(session_over(stream, prepare=up_to(1208, run_file)), rules, 1208)
    assert " ALARM " in text
    assert alarms_in(run_file) == first


async def test_births_after_a_silent_past_ring(stream, tmp_path):
    run_file, rules = tmp_path / "a.run", (parse("birth"),)
    await watched(session_over(stream, prepare=up_to(300, run_file)), (), 300)
    await watched(session_over(stream, prepare=up_to(800, run_file)), rules, 800)
    assert [step >= 75 for step, _ in alarms_in(run_file)] == [True]


async def test_an_old_run_that_is_watched_does_not_ring_for_its_past(stream, tmp_path):
    run_file = tmp_path / "a.run"
    await watched(session_over(stream, prepare=up_to(2000, run_file)), (), 2000)
    rules = (parse("birth"), parse("no rows for 4m"))
    assert " ALARM " not in await watched(WatchedRun(run_file), rules, 2000)


async def test_alarms_at_the_very_end_are_events_in_the_list_and_in_the_file(stream, tmp_path):
    run_file = tmp_path / "a.run"

    def prepare(engine):
        engine.run_file = run_file

    # the run has ended before anybody looks at it
    session = ended(session_over(stream, prepare=prepare), RULES)
    app = monitor_of(session)
    async with app.run_test(size=(120, 30)) as pilot:
        await open_main(app, pilot)
        await pilot.press("slash", *"alarm", "enter")
        await settle(app, pilot)
        listed = [event for _, event in app.screen.event_log.chosen]
        assert len(listed) >= 2
        assert "raised: birth" in text_of(app)
    session.close()
    assert [(event.step, event.text) for event in listed] == sorted(alarms_in(run_file))
    assert not run_file.with_name("a.run-wal").exists()
