"""How numbers are written."""

import math

import pytest

from macro_engine.core.format import (
    duration_text,
    elapsed_text,
    member_text,
    short_percent_text,
    short_threshold_text,
    threshold_text,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (0.1, "0.10"),
        (0.15, "0.15"),
        (0.005, "0.005"),
        (0.0125, "0.0125"),
        (0.00001, "0.00001"),
        (2.5e-7, "2.5e-07"),
        (1.0, "1"),
        (7.0, "7"),
        (17.5, "17.5"),
        (math.inf, "inf"),
    ],
)
def test_thresholds(value, text):
    assert threshold_text(value) == text


def test_members_name_their_history_where_there_are_several():
    assert member_text(0.1) == "0.10"
    assert member_text(0.1, 6) == "6:0.10"
    assert member_text(0.1, "all") == "all:0.10"
    assert member_text(math.inf, 6) == "inf"


@pytest.mark.parametrize("value", [0.0, 0.1, 0.01234, 1e-9, 7.0, 123.456, 1e7, math.inf])
def test_short_thresholds_fit_in_five_characters(value):
    assert len(short_threshold_text(value)) <= 5


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0, "0 s"),
        (1.5, "1.5 s"),
        (59.0, "59 s"),
        (60, "1 min"),
        (200, "3 min 20 s"),
        (3600, "1 h"),
        (5400, "1 h 30 min"),
        (86_430, "1 d"),
        (93_784, "1 d 2 h"),
    ],
)
def test_durations_have_their_two_largest_units(seconds, text):
    assert duration_text(seconds) == text


def test_a_growing_duration_changes_once_a_second():
    assert {elapsed_text(42 + tenth / 10) for tenth in range(10)} == {"42 s"}


@pytest.mark.parametrize(
    ("share", "text"), [(0.0, "0%"), (0.001, "<1%"), (0.5, "50%"), (1.0, "100%")]
)
def test_short_shares(share, text):
    assert short_percent_text(share) == text
