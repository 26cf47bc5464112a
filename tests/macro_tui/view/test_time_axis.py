"""Round places along an axis."""

from datetime import datetime, timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from macro_engine.stream.times import FIRST_TIME, LAST_TIME
from macro_tui.view.time_axis import round_steps, round_times

TIMES = st.integers(FIRST_TIME, LAST_TIME)


@given(TIMES, TIMES, st.integers(8, 200))
@example(0, -3_786_825_600_000_000, 8)
@example(0, 1_036_800_000_000, 36)
def test_times_rise_are_within_and_their_texts_fit(a, b, cells):
    first, last = sorted((a, b))
    found = round_times(first, last, cells)
    times = [time for time, _ in found]
    assert times == sorted(set(times))
    assert all(first <= time <= last for time in times)
    if (last - first) / 1e6 < 86_400 * 365 * 400:
        assert sum(len(text) + 1 for _, text in found[1:]) <= max(cells, 12)


@given(st.integers(0, 10**9), st.integers(1, 10**9), st.integers(8, 200))
def test_steps_rise_are_within_and_their_texts_fit(first, span, cells):
    found = round_steps(first, first + span, cells)
    steps = [step for step, _ in found]
    assert steps == sorted(set(steps))
    assert all(first <= step <= first + span for step in steps)
    assert sum(len(text) + 1 for _, text in found[1:]) <= max(cells, 28)


def test_every_text_names_its_time():
    first = datetime(2001, 3, 1)
    at = lambda when: round((when - datetime(1970, 1, 1)).total_seconds() * 1e6)  # noqa: E731
    spans = {
        timedelta(seconds=40): "00:00:00",
        timedelta(minutes=40): "00:00",
        timedelta(hours=40): "Mar 1 00h",
        timedelta(days=20): "Mar 1",
        timedelta(days=300): "Apr 1",
        timedelta(days=4000): "Jan 2006",
    }
    for span, text in spans.items():
        assert text in [t for _, t in round_times(at(first), at(first + span), 60)], span
