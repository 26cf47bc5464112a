"""Rules and when they are raised and cleared."""

from dataclasses import replace

import pytest

from macro_engine.core.errors import UsageError
from macro_engine.run.alarms.alarms import Alarms, Sample, parse
from macro_engine.run.alarms.checker import AlarmChecker
from macro_engine.run.alarms.rules import UNKNOWN_LABELS
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
    watch = AlarmChecker(Alarms([parse("no step for 1h"), parse("no rows for 1h")]))
    assert rings(watch, came=3599.0, now=3599.0, closed=0.0) == []
    assert rings(watch, came=3600.0, now=3600.0, closed=0.0) == [True]
    assert rings(watch, came=3700.0, now=3700.0, closed=3650.0) == [False]


def rings(watch, came, now, state="quiet", closed=None):
    snapshot = Snapshot(state=state, came=came, closed=closed, steps=9)
    return [change.is_raised for change in watch.look(snapshot, now)]


def test_a_pause_on_a_live_feed_goes_by_the_wall_clock_and_rings_once():
    alarms = Alarms([parse("no rows for 5m"), parse("birth")])
    watch = AlarmChecker(alarms)
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
    watch = AlarmChecker(alarms)
    assert rings(watch, came=0.0, now=300.0) == [True]
    assert rings(watch, came=301.0, now=302.0) == [False]
    assert len(alarms.calling) == 1
    alarms.acknowledge()
    assert not alarms.calling


@pytest.mark.parametrize("state", ["finished", "stopped", "failed"])
def test_a_run_that_has_ended_is_not_missed(state):
    watch = AlarmChecker(Alarms([parse("no rows for 5m")]))
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
    watch = AlarmChecker(alarms)
    held_up = Snapshot(state="waiting", came=1000.0, seen=1010.0)
    assert watch.look(held_up, now=2000.0) == []
    (change,) = watch.look(replace(held_up, seen=None), now=2000.0)
    assert change.is_raised


def test_a_margin_stands_between_a_series_and_the_baseline():
    assert parse("ftl > marginal + 1.5pp for 4h").margin == 0.015
    assert changes("ftl > marginal + 5pp", [0.24, 0.26, 0.2]) == [(True, 1), (False, 2)]
    with pytest.raises(UsageError, match="behind a series"):
        parse("ftl > 25% + 1pp")


def test_rejected_rows_ring_after_their_time():
    alarms = Alarms([parse("rejected > 5% for 10m")])
    found = alarms.check(
        Sample(i, i * 5 * MINUTE, rejected=share) for i, share in enumerate((0.1, 0.1, 0.1, 0.0))
    )
    assert [(change.is_raised, change.step) for change in found] == [(True, 2), (False, 3)]


def test_on_a_live_feed_rejected_rows_ring_although_no_step_closes():
    watch = AlarmChecker(Alarms([parse("rejected > 5%")]))
    before = Snapshot(state="running", came=1.0, rows=500)
    assert watch.look(before, now=1.0) == []
    (change,) = watch.look(replace(before, rejected=150), now=2.0)
    assert change.is_raised
    assert change.by_clock


def test_the_lag_of_a_live_feed_is_against_the_clock():
    watch = AlarmChecker(Alarms([parse("lag > 2m")]))
    feed = Snapshot(state="running", came=1000.0, steps=3, time=1_000_000_000)
    assert watch.look(feed, now=1120.0) == []
    (raised,) = watch.look(feed, now=1121.0)
    assert raised.words == "the newest row is 2 min 1 s old"
    (cleared,) = watch.look(replace(feed, time=1_100_000_000), now=1122.0)
    assert not cleared.is_raised


def test_labels_that_are_no_class_ring_beyond_a_hundredth():
    watch = AlarmChecker(Alarms([parse(UNKNOWN_LABELS)]))
    recording = Snapshot(state="running", rows=990, rejected=10)
    assert watch.look(recording, now=0.0, unknown=10) == []
    assert watch.look(replace(recording, rejected=11), now=0.0, unknown=11)[0].is_raised


def test_a_muted_rule_calls_nobody_and_rings_again_when_it_is_heard():
    alarms, rule = Alarms(), parse("ftl > 0.25")
    assert alarms.add(rule)
    assert not alarms.add(rule)
    alarms.mute(rule, True)
    assert list(alarms.check(samples([0.3, 0.1]))) == []
    assert not alarms.calling
    alarms.mute(rule, False)
    assert [change.is_raised for change in alarms.check(samples([0.3]))] == [True]


def test_alarms_go_on_from_their_state_and_keep_added_rules():
    rules = [parse("ftl > 0.25"), parse("birth")]
    whole, first = Alarms(rules), Alarms(rules)
    added = parse("ewa > 0.5")
    first.add(added, is_kept=True)
    values = [0.3, 0.3, 0.2, 0.3]
    told = list(whole.check(samples(values)))
    before = list(first.check(samples(values)[:2]))
    second = Alarms(rules)
    second.restore(first.state())
    assert [alarm.rule for alarm in second.alarms] == [*rules, added]
    assert second.calling == first.calling
    assert before + list(second.check(samples(values)[2:])) == told


def test_calls_of_the_process_that_makes_the_run_are_heard_once():
    maker, viewer = Alarms([parse("ftl > 0.25")]), Alarms()
    list(maker.check(samples([0.3])))
    assert [change.words for change in viewer.hear(maker.as_texts())] == ["ftl 30.0%, limit 25.0%"]
    assert viewer.hear(maker.as_texts()) == []
    assert len(viewer.calling) == 1
    viewer.acknowledge()
    assert not viewer.calling
    assert maker.calling


def test_texts_of_another_process_are_data():
    (change,) = Alarms().hear([{"rule": "\x1b[2J", "step": "-1", "words": "\x07"}])
    assert change.step == 0
    assert "\x1b" not in change.text
    assert "\x07" not in change.text
