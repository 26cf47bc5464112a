"""The guided tour of the demo."""

from types import SimpleNamespace

import numpy as np
import pytest

from macro_engine.run.view import Snapshot, parse
from macro_tui.view.tour import SHOWN_SECONDS, STOPS, Tour, TourState

LIVE = 1_000_000
WIDTH = 80


def scene(steps=1000, late=0):
    situation = SimpleNamespace(labels=np.array([10 - late, late]), rows=10)
    return SimpleNamespace(
        steps=steps,
        member=0,
        view=SimpleNamespace(window=512),
        usage=SimpleNamespace(uses=np.array([0, 5, 6])),
        history=SimpleNamespace(situation=lambda _step, _member: situation),
    )


def sight(shown=None, time=0, kinds=(), alarms=()):
    calling = [SimpleNamespace(rule=parse(text)) for text in alarms]
    found = SimpleNamespace(calling=calling)
    return TourState(shown, Snapshot(time=time), found, frozenset(kinds), LIVE)


def text(start):
    return next(stop.text for stop in STOPS if stop.text.startswith(start))


@pytest.mark.parametrize("stop", STOPS, ids=lambda stop: stop.text[:12])
def test_every_line_fits_into_the_narrowest_screen(stop):
    tour = Tour(LIVE)
    tour.text, tour.told = stop.text, len(STOPS)
    assert sum(len(part) for part, _ in tour.row()) <= WIDTH
    assert stop.text.isascii()


def test_all_six_panels_are_explained():
    assert all(any(f"[{number}]" in stop.text for stop in STOPS) for number in range(1, 7))


def test_a_panel_is_explained_when_something_happens_in_it_and_no_sooner():
    tour, empty = Tour(LIVE), sight()
    assert tour.look(empty, 0.0)
    assert not tour.look(empty, SHOWN_SECONDS + 1)
    assert tour.look(sight(scene()), 2 * SHOWN_SECONDS)
    assert tour.text == text("line 1")
    told = []
    for second in range(3, 20):
        tour.look(sight(scene()), second * SHOWN_SECONDS)
        told.append(tour.text)
    assert text("[1]") in told
    assert text("[4]") not in told  # no leader has changed
    assert text("the storm") not in told


def test_the_storm_goes_before_what_waits():
    tour = Tour(LIVE)
    tour.look(sight(scene()), 0.0)
    assert not tour.look(sight(scene(late=9), time=LIVE), SHOWN_SECONDS / 2)
    tour.look(sight(scene(late=9)), SHOWN_SECONDS)
    assert tour.text != text("the storm")  # what lies before the week is not the storm
    tour.look(sight(scene(late=9), time=LIVE), 2 * SHOWN_SECONDS)
    assert tour.text == text("the storm")


def test_keys_are_shown_again_where_nothing_happens():
    tour = Tour(LIVE)
    tour.look(sight(), 0.0)
    assert tour.look(sight(), 1000.0)
    assert tour.text == ""
    assert tour.look(sight(scene()), 1001.0)


def test_an_alarm_is_explained_and_silence_ends_the_tour():
    tour = Tour(LIVE)
    tour.look(sight(alarms=["ftl > 16%"]), 0.0)
    assert tour.text == text("ALARM")
    tour.look(sight(alarms=["ftl > 16%", "no rows for 15s"]), SHOWN_SECONDS)
    assert tour.text == text("the week is over")
    assert not tour.look(sight(scene(late=9), time=LIVE), 1000.0)
    assert tour.text == text("the week is over")
