"""What is measured beside a run."""

from macro_tui.view import meter as module
from macro_tui.view.meter import Meter


def test_the_time_that_is_left_is_told_once_the_run_is_under_way(monkeypatch):
    now = iter(range(10))
    monkeypatch.setattr(module, "monotonic", lambda: next(now))
    meter = Meter()
    left = [meter.measure(done, 0, 0).seconds_left for done in (0.0, 0.0, 0.1, 0.2, 0.3, 0.4, 0.5)]
    assert left[:3] == [None, None, None]
    assert [round(seconds, 6) for seconds in left[-2:]] == [6.0, 5.0]
