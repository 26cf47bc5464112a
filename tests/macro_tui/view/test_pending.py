"""The rows that wait for labels, as text."""

import pytest
from made_views import roles_of, texts

from macro_engine.run.view import Snapshot
from macro_tui.view.glyphs import ASCII
from macro_tui.view.pending import about, details, pending_rows, picked_place, row_at
from macro_tui.view.rows import row_width


def row(key="UA 12", p="0.9312", prediction="late", distance="0.031", close="2", number="1,204"):
    return {
        "key": key, "row": number, "time": "2024-01-01 10:20", "p": p, "prediction": prediction,
        "step": "77", "member": "6:0.05", "active": "3", "distance": distance, "close": close,
    }  # fmt: skip


def snapshot(*likely, **changes):
    values = {
        "strategy": "blend",
        "time": 7_200_000_000,
        "pending_rows": 2001,
        "pending_oldest": 1_800_000_000,
        "pending_class": "late",
        "pending_expected": {"on time": 1304.6, "late": 696.4},
        "pending_likely": likely,
    }
    return Snapshot(**(values | changes))


def shown(seen, width=30, height=7, picked=""):
    return texts(pending_rows(seen, picked, width, height, ASCII))


def test_in_a_narrow_place_it_says_how_many_wait_what_is_expected_and_which_are_likely():
    found = shown(snapshot(row(), row("DL 7", "0.51", "on time")))
    assert [line.rstrip() for line in found] == [
        "2,001 rows, oldest 1 h 30 min",
        "expected 696 'late'",
        "  key   p(late)",
        "> UA 12   93.1%",
        "  DL 7    51.0%",
    ]


def test_in_a_wide_place_the_title_says_how_many_and_lines_have_times():
    seen = snapshot(row(), row("DL 7", "0.51", "on time"))
    assert about(seen) == "2,001 rows, oldest 1 h 30 min"
    found = shown(seen, 70)
    assert found[0] == "expected 696 'late', 1,305 'on time'"
    assert found[2].rstrip() == "> UA 12   93.1%  2024-01-01 10:20"


def test_a_row_predicted_to_be_of_the_rare_class_stands_out():
    rows = pending_rows(snapshot(row(), row("b", "0.4", "on time")), "", 60, 9, ASCII)
    assert roles_of(rows, "93.1%") == {"bad"}
    assert roles_of(rows, "40.0%") == {"label"}


def test_without_keys_rows_are_called_by_their_numbers():
    found = shown(snapshot(row(key="")))
    assert "row" in found[2]
    assert "1,204" in found[3]


def test_the_price_of_waiting_is_told_where_it_is_known():
    seen = snapshot(row(), errors={"blend": 0.176}, errors_at_once={"blend": 0.169})
    assert "waiting costs blend +0.70 points: 16.9% with labels at once" in shown(seen, 70)


@pytest.mark.parametrize("width", [8, 20, 30, 31, 52, 110])
@pytest.mark.parametrize("height", [0, 1, 3, 12])
def test_it_fits_whatever_the_size(width, height):
    likely = [
        row(key=f"k\x1b[2J東京{i}" * (i + 1), p="nonsense" if i == 2 else "0.5", number=str(i))
        for i in range(9)
    ]
    seen = snapshot(*likely, errors={"blend": 0.1}, errors_at_once={"blend": 0.2})
    rows = pending_rows(seen, "4", width, height, ASCII)
    assert len(rows) <= height
    assert "\x1b" not in "".join(texts(rows))
    assert all(row_width(line) <= max(width, 21) for line in rows[3:])


def test_the_picked_row_stays_picked_when_likelier_ones_come():
    first, second = row("UA 12", number="7"), row("DL 7", "0.51", "on time", number="9")
    before, after = (
        snapshot(first, second),
        snapshot(row("AA 1", "0.99", number="11"), first, second),
    )
    for seen in (before, after):
        assert next(line for line in shown(seen, picked="9") if line[0] == ">").startswith("> DL 7")
    assert picked_place(before, "9") == 1
    assert picked_place(after, "9", 5) == 2
    assert picked_place(after, "gone") == 0


def test_nothing_waits():
    seen = Snapshot()
    assert about(seen) == "no row waits for its label"
    assert shown(seen) == ["no row waits for its label"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "the nearest of 2 inside its threshold, at distance 0.031"),
        ({"close": "1"}, "the only one inside its threshold, at distance 0.031"),
        ({"distance": ""}, "new at this step: none was inside its threshold"),
        ({"close": "0"}, "outside its threshold; no more are born"),
    ],
)
def test_one_row_is_shown_with_its_decision(given, words):
    found = "\n".join(texts(details(row(**given), snapshot())))
    assert "key UA 12" in found
    assert "row 1,204 of step 77, 2024-01-01 10:20" in found
    assert "blend predicts 'late'; probability of 'late' 93.1%" in found
    assert "why: subroutine #3 of member 6:0.05" in found
    assert words in found


def test_the_picked_row_is_in_view():
    found = shown(snapshot(*(row(f"k{i}", number=str(i)) for i in range(40))), picked="33")
    assert any(line.startswith("> k33") for line in found)


def test_a_line_of_the_list_is_one_of_its_rows():
    seen = snapshot(*(row(f"k{i}", number=str(i)) for i in range(40)))
    found = shown(seen, 30, 7, picked="33")
    for y, line in enumerate(found):
        place = row_at(seen, "33", y, 30, 7)
        assert (place is None) == (y < 3)
        assert place is None or f"k{place} " in line
