"""What the timeline shows."""

from dataclasses import replace

import numpy as np
import pytest
from made_sessions import finished_session, scene_of, write_stream
from made_views import roles_of, texts, timeline_view

from macro_engine.run.history.activity import Activity
from macro_tui.view.glyphs import ASCII, UNICODE
from macro_tui.view.roles import NAMED, ROLES
from macro_tui.view.timeline import TimelineView, legend, render, timeline_columns
from macro_tui.view.timeline import timeline_view as view_of

COLUMNS = timeline_columns(40)


def one(active, births=(), head=COLUMNS - 1, view=COLUMNS - 1, shares=1.0, named=(4, 17)):
    """A run at a single threshold."""
    row = np.zeros((1, COLUMNS), int)
    row[0, : len(active)] = active
    born = np.zeros(COLUMNS, int)
    born[list(births)] = 1
    share = np.broadcast_to(shares, row.shape)
    return TimelineView(("0.10",), 0, (tuple(named),), row, share, born, head, view, ((0, "Jan"),))


def test_a_column_has_the_sign_of_its_subroutine_and_no_number():
    rows = render(one([4] * 6 + [17] * 5 + [3]), 40, 3)
    assert texts(rows)[0].rstrip() == "▶0.10  ██████▓▓▓▓▓·"
    rows = texts(render(one([4] * 6 + [17] * 5 + [3]), 40, 3, ASCII))
    assert rows[0].rstrip() == ">0.10  ######=====."


def test_the_legend_has_the_numbers_in_their_order_and_the_rest_is_other():
    row = legend(one([4] * 6 + [17] * 5), UNICODE)
    assert "".join(text for text, _ in row) == " █ #4 ▓ #17"
    row = legend(one([4] * 6 + [17] * 5 + [3]), UNICODE)
    assert "".join(text for text, _ in row) == " █ #4 ▓ #17 · other"


def test_a_small_share_is_faint():
    rows = render(one([4, 4], shares=0.49), 40, 3)
    assert roles_of(rows, "██") == {"sub0_faint"}
    assert roles_of(render(one([4, 4], shares=0.5), 40, 3), "██") == {"sub0"}


def test_nobody_is_red_or_green():
    for place in range(NAMED):
        look = ROLES[f"sub{place}"]
        assert not {"red", "green"} & {
            look.ansi_dark.split("_")[-1],
            look.ansi_light.split("_")[-1],
        }
    signs = {ROLES[f"sub{place}"].ansi_dark for place in range(NAMED)}
    assert len(signs) == NAMED == len(UNICODE.fills) == len(ASCII.fills)


def test_births_have_a_lane_of_their_own():
    rows = render(one([4] * 8, births=[0, 3]), 40, 3)
    assert texts(rows)[0].split()[1] == "████████"
    assert texts(rows)[1].startswith("births ▴──▴──")
    assert roles_of(rows, "▴") == {"birth"}


def test_nothing_is_drawn_before_the_first_subroutine():
    assert texts(render(one([0, 0, 4]), 40, 3))[0][7:10] == "  █"


def test_every_threshold_has_a_row_when_there_is_room():
    rows = texts(render(timeline_view(80), 80, 8))
    assert [row[1:5] for row in rows[:6]] == ["0.01", "0.02", "0.05", "0.10", "0.20", "0.40"]
    assert [row[0] for row in rows[:6]].index("▶") == 3


@pytest.mark.parametrize("viewed", range(12))
def test_of_twelve_members_as_many_as_fit_stand_around_the_one_in_view(viewed):
    members = tuple(f"{k / 10:.2f}" for k in range(1, 13))
    view = timeline_view(160, members, viewed)
    for height in range(3, 15):
        rows = texts(render(view, 160, height))
        shown = [row[1:5] for row in rows[:-2]]
        assert len(shown) == min(height - 2, 12)
        assert members[viewed] in shown
        assert rows[-2].startswith("births") or height > 14
        assert "0k" in rows[-1]


def test_the_lane_shows_head_and_view():
    ruler = texts(render(one([4] * 20, head=20, view=10), 40, 3))[1][7:]
    assert ruler == "─" * 10 + "◆" + "─" * 9 + "●" + "┄" * (COLUMNS - 21)
    ruler = texts(render(one([4] * 20, head=20, view=10), 40, 3, ASCII))[1][7:]
    assert ruler == "----------V---------O" + "." * (COLUMNS - 21)


def test_a_view_that_follows_the_head_has_no_cursor():
    rows = texts(render(one([4] * 20, head=20, view=20), 40, 3))
    assert "◆" not in rows[1]
    assert "│" not in rows[0]


def test_a_view_in_the_past_is_a_line_through_the_rows():
    assert texts(render(one([4] * 20, head=20, view=10), 40, 3))[0][7 + 10] == "│"


def test_a_run_without_members_is_blank():
    view = replace(one([]), members=(), active=np.zeros((0, 5), int))
    assert set("".join(texts(render(view, 40, 5)))) == {" "}


@pytest.mark.parametrize("bins", [64, 2048])
def test_of_a_run_it_shows_what_its_trace_says(tmp_path, monkeypatch, bins):
    monkeypatch.setattr(Activity, "BINS", bins)
    session = finished_session(write_stream(tmp_path / "d.csv"))
    (active,) = [part.active.astype(int) for part in [session.history.results(0, 600)]]
    for width in (None, 1, 2, 4):
        for moment in (None, 100, 333):
            scene = scene_of(session, moment=moment)
            scene = replace(scene, view=replace(scene.view, width=width), length=600)
            for columns in (10, 47, 73):
                edges = scene.page_of_activity(columns).edges
                view = view_of(scene, columns)
                for c in np.flatnonzero(edges[1:] <= 600).tolist():
                    begin = min(edges[c], edges[c + 1] - 1)
                    for k in range(3):
                        counts = np.bincount(active[k, begin : edges[c + 1]])
                        assert view.active[k, c] == counts.argmax()
                        assert view.shares[k, c] == pytest.approx(counts.max() / counts.sum())
    session.close()
