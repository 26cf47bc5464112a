"""The lines above and below the panels."""

from types import SimpleNamespace

import pytest
from made_views import texts

from macro_engine.run.snapshot import Snapshot
from macro_tui.view.glyphs import UNICODE
from macro_tui.view.keys import available_keys
from macro_tui.view.status_lines import before, failure, footer, header

NOW = SimpleNamespace(steps=6000, moment=6000, is_now=True, view=SimpleNamespace(frozen=None))
HEADLINE = "label 'is_fraud' (not 'churned'), by its name"
WHY = "the last column, with 10 values; no name says which it is"


def header_of(width, headline, state="running", name="payments.csv", **known):
    known = {"steps": 6000, "time": 0, "speed": "1,400x", "words": "playing", **known}
    snapshot = Snapshot(state, **known)
    row = header(name, snapshot, NOW, "", UNICODE, width, headline)
    return texts([row])[0].rstrip()


def test_the_choice_of_the_label_stands_whole_in_80_columns_whatever_else_is_to_be_said():
    wide = header_of(160, HEADLINE)
    assert (
        wide
        == f"payments.csv  ▶ playing at 1,400x  {HEADLINE} (d: more)  6,000 steps  1970-01-01 00:00"
    )
    assert header_of(80, HEADLINE) == f"payments.csv  ▶ playing at 1,400x  {HEADLINE}"
    warm = header_of(80, HEADLINE, warming="warming up, 6 s left")
    assert warm.startswith(f"payments.csv  {HEADLINE} (d: more)")


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("state", ["running", "paused", "finished"])
def test_of_a_long_reason_the_first_clauses_stand(width, state):
    found = header_of(width, f"label 'kind', {WHY}", state)
    assert "label 'kind', the last column" in found
    assert len(found) <= width


def test_without_it_the_header_has_what_there_is_room_for():
    assert header_of(60, "") == "payments.csv  ▶ playing at 1,400x  6,000 steps"


def test_why_a_run_failed_is_said_whole_or_says_where_it_is():
    why = "the subroutine own:Model failed: KeyError: nothing of the kind was found in this row"
    assert texts([failure(why, 160)]) == [why]
    (found,) = texts([failure(why, 80)])
    assert found.endswith("…  d: all of it")
    assert len(found) == 80


def test_the_key_that_pauses_plays_on_when_paused():
    def words(is_held):
        return texts([footer(80, False, "", available_keys(), False, is_held)])[0]

    assert "space pause" in words(False)
    assert "space play" in words(True)


def test_before_the_first_step_is_complete_it_says_what_it_waits_for():
    open_ = Snapshot("running", "following", came=1.0, open_rows=7)
    said = " ".join(texts(before(open_, 80)))
    assert "when the first step is closed" in said
    assert "without a label" not in said
    waiting = Snapshot("running", "following", came=1.0, open_rows=7, pending_rows=1234)
    said = " ".join(" ".join(texts(before(waiting, 80))).split())
    assert "1,234 rows without a label yet" in said
    assert "when the first step has all its labels, or after --label-timeout" in said
