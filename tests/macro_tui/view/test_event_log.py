"""What the list of events folds."""

from macro_engine.run.events import Event
from macro_tui.view.event_log import folded


def log(*texts):
    kinds = ["leader" if "leader" in text else "birth" for text in texts]
    pairs = zip(kinds, texts, strict=True)
    return [(i, Event(10 * i, None, kind, text)) for i, (kind, text) in enumerate(pairs)]


def test_flips_between_the_same_two_are_one_line_which_is_the_last():
    flips = ["FTL leader 0.01 -> 0.10", "FTL leader 0.10 -> 0.01"] * 7
    (pair,) = folded(log(*flips))
    assert pair[0] == 13
    assert (pair[1].step, pair[1].text) == (130, "FTL leader 0.01 / 0.10, 14 times")


def test_two_flips_other_pairs_and_what_comes_between_stay():
    events = log(
        "FTL leader 0.01 -> 0.10",
        "FTL leader 0.10 -> 0.01",
        "new subroutine #4 at 0.10",
        "FTL leader 0.01 -> 0.10",
        "FTL leader 0.10 -> 0.30",
    )
    assert folded(events) == events
