"""What the list of events folds, and what stands first in it."""

import pytest

from macro_engine.run.events import Event
from macro_tui.view.event_log import BIRTH, NOTE, TROUBLE, EventLog, folded, severity


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


@pytest.mark.parametrize(
    ("kind", "text", "level"),
    [
        ("birth", "new subroutine #4 at 0.10", BIRTH),
        ("alarm", "raised: birth (a subroutine was born)", TROUBLE),
        ("alarm", "cleared: lag > 2m (the newest row is 3 s old)", NOTE),
        ("source", "2024-03-01 10:00:00 a.csv: is gone, waiting", TROUBLE),
        ("source", "2024-03-01 10:01:00 a.csv: is there again", NOTE),
        ("run", "a.run can be written again; nothing was lost", NOTE),
        ("leader", "FTL leader 0.10 -> 0.30", NOTE),
        ("rejected", "3 rows rejected", TROUBLE),
    ],
)
def test_what_an_event_is_tells_how_much_it_matters(kind, text, level):
    assert severity(Event(1, None, kind, text)) == level


class Told:
    """A view of a run that has these events."""

    def __init__(self, *events):
        self.told = list(enumerate(events))

    def events(self, after):
        return [pair for pair in self.told if pair[0] > after]


def test_trouble_and_births_stand_first_and_the_newest_of_each():
    log = EventLog()
    log.refresh(
        Told(
            Event(1, None, "birth", "new subroutine #1 at 0.10"),
            Event(2, None, "leader", "FTL leader 0.10 -> 0.30"),
            Event(3, None, "gap", "no rows for 4 h"),
            Event(4, None, "birth", "new subroutine #2 at 0.10"),
            Event(5, None, "leader", "FTL leader 0.30 -> 0.05"),
        )
    )
    assert [event.step for _, event in log.ranked] == [3, 4, 1, 5, 2]
    assert [event.step for _, event in log.folded] == [1, 2, 3, 4, 5]


def test_many_steps_with_rejected_rows_are_one_line():
    log = EventLog()
    rejected = [Event(i, None, "rejected", f"{i} row{'s' * (i > 1)} rejected") for i in (1, 5, 9)]
    log.refresh(Told(*rejected, Event(3, None, "birth", "new subroutine #2 at 0.10")))
    assert [event.text for _, event in log.ranked] == [
        "15 rows rejected in 3 steps; 8 shows why",
        "new subroutine #2 at 0.10",
    ]
