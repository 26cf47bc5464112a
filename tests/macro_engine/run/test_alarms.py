"""Rules and when they are raised and cleared."""

from dataclasses import replace

import pytest

from macro_engine.core.errors import UsageError
from macro_engine.run.alarm_watch import AlarmWatch
from macro_engine.run.alarms import Alarms, Sample, parse
from macro_engine.run.snapshot import Snapshot

MINUTE = 60_000_000


def samples(values, baseline=0.2):
    return [
        Sample(i, i * 10 * MINUTE, {"ftl": v, "ewa": v, "marginal": baseline, "no_change": v})
        for i, v in enumerate(values)
    ]


def changes(rule, values):
    found = Alarms([parse(rule)]).check(samples(values))
    return [(change.is_raised, change.step) for change in found]


def test_a_limit_is_raised_once_and_cleared_below_it():
    assert changes("ftl > 0.25", [0.2, 0.26, 0.24, 0.26, 0.23]) == [(True, 1), (False, 4)]


def test_a_rule_with_a_time_waits_for_it():
    assert changes("ftl > marginal for 30m", [0.3, 0.3, 0.3, 0.3]) == [(True, 3)]
    assert changes("ftl > marginal for 3 steps", [0.3, 0.3, 0.1, 0.3, 0.3, 0.3]) == []


def test_no_number_raises_nothing():
    assert changes("ftl > marginal", [float("nan")] * 3) == []


def test_a_percentage_is_a_share():
    assert parse("ewa > 25%").limit == parse("ewa > 0.25").limit == 0.25


def test_a_pause_in_the_streams_time_is_noticed():
    quiet = [Sample(i, None, {}, pause=minutes * MINUTE) for i, minutes in enumerate((5, 29, 45))]
    alarms = Alarms([parse("no rows for 30m")])
    assert [change.step for change in alarms.check(quiet)] == [2]


def test_a_pause_between_steps_is_noticed_whatever_rows_come():
    slow = [
        Sample(i, None, {}, pause=MINUTE, step_pause=minutes * MINUTE)
        for i, minutes in enumerate((10, 59, 60))
    ]
    alarms = Alarms([parse("no step for 1h"), parse("no rows for 1h")])
    assert [(change.step, change.rule.of) for change in alarms.check(slow)] == [(2, "step")]


def test_on_a_live_feed_steps_are_missed_while_rows_come():
    watch = AlarmWatch(Alarms([parse("no step for 1h"), parse("no rows for 1h")]), 512)
    assert rings(watch, came=3599.0, now=3599.0, closed=0.0) == []
    assert rings(watch, came=3600.0, now=3600.0, closed=0.0) == [True]
    assert rings(watch, came=3700.0, now=3700.0, closed=3650.0) == [False]


def rings(watch, came, now, state="quiet", closed=None):
    snapshot = Snapshot(state=state, came=came, closed=closed, steps=9)
    return [change.is_raised for change in watch.check(None, snapshot, now)]


def test_a_pause_on_a_live_feed_goes_by_the_wall_clock_and_rings_once():
    alarms = Alarms([parse("no rows for 5m"), parse("birth")])
    watch = AlarmWatch(alarms, 512)
    assert rings(watch, came=1000.0, now=1299.0) == []
    assert rings(watch, came=1000.0, now=1300.0) == [True]
    assert rings(watch, came=1000.0, now=5000.0) == []
    alarms.acknowledge()
    assert not alarms.calling
    assert rings(watch, came=1000.0, now=5001.0) == []  # it was acknowledged, and is not over
    assert rings(watch, came=5002.0, now=5002.5, state="running") == [False]
    assert rings(watch, came=5002.0, now=5302.5) == [True]


def test_a_pause_that_is_over_still_calls_until_it_is_acknowledged():
    alarms = Alarms([parse("no rows for 5m")])
    watch = AlarmWatch(alarms, 512)
    assert rings(watch, came=0.0, now=300.0) == [True]
    assert rings(watch, came=301.0, now=302.0) == [False]
    assert len(alarms.calling) == 1
    alarms.acknowledge()
    assert not alarms.calling


@pytest.mark.parametrize("state", ["finished", "stopped", "failed"])
def test_a_run_that_has_ended_is_not_missed(state):
    watch = AlarmWatch(Alarms([parse("no rows for 5m")]), 512)
    assert rings(watch, came=0.0, now=1e9, state=state) == []


def test_births_ring_again_only_after_they_were_acknowledged():
    alarms = Alarms([parse("birth")])
    born = [Sample(i, None, {}, born=1) for i in range(3)]
    assert [change.step for change in alarms.check(born[:2])] == [0]
    alarms.acknowledge()
    assert [change.step for change in alarms.check(born[2:])] == [2]


def test_what_was_cleared_still_calls_until_it_is_acknowledged():
    alarms = Alarms([parse("ftl > 0.25")])
    list(alarms.check(samples([0.3, 0.1])))
    assert len(alarms.calling) == 1
    alarms.acknowledge()
    assert not alarms.calling


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ftl",
        "ftl > ",
        "ftl > 2",
        f"no rows for {'9' * 400}s",
        f"ftl > marginal for {'9' * 400}h",
        f"ftl > marginal for {'9' * 5000} steps",
        "ftl > -1",
        "nobody > 0.1",
        "ftl > marginal for ever",
        "no rows",
    ],
)
def test_what_is_no_rule_is_refused_with_examples(text):
    with pytest.raises(UsageError, match=r"--alarm"):
        parse(text)


def test_rows_that_only_could_not_be_written_are_no_silence():
    alarms = Alarms([parse("no rows for 1m")])
    watch = AlarmWatch(alarms, 100)
    held_up = Snapshot(state="waiting", came=1000.0, seen=1010.0)
    assert watch.check(None, held_up, now=2000.0) == []
    (change,) = watch.check(None, replace(held_up, seen=None), now=2000.0)
    assert change.is_raised
