"""What the error chart shows."""

from dataclasses import replace

import numpy as np
import pytest
from made_views import curves_view, roles_of, texts
from textual.app import App

from macro_tui.view.curves import (
    CurvesView,
    Series,
    apart,
    bounds,
    plot_columns,
    render,
)
from macro_tui.view.glyphs import ASCII
from macro_tui.widgets.curves import Curves


def level(*values, width=60, **changes):
    """A chart of curves that stay level."""
    columns = 2 * plot_columns(width)
    series = tuple(
        Series(name, role, np.full(columns, value), value)
        for (name, role), value in zip(
            (("EWA", "ewa"), ("FTL", "ftl"), ("marginal", "marginal")), values, strict=False
        )
    )
    view = CurvesView("errors", series, np.zeros(columns // 2, int), (), "%", None, "")
    return replace(view, **changes)


def test_names_and_present_values_stand_at_the_right_edge():
    rows = texts(render(level(30.0, 40.0, width=100), 100, 20))
    assert any(row.endswith("━ EWA        30.0%") for row in rows)
    assert any(row.endswith("─ FTL        40.0%") for row in rows)


def test_labels_of_equal_values_do_not_cover_each_other():
    rows = texts(render(level(30.0, 30.0, 30.0), 60, 12))
    assert all(sum(name in row for row in rows) == 1 for name in ("EWA", "FTL", "marg"))


def test_labels_keep_the_order_of_their_values():
    rows = "\n".join(texts(render(level(30.02, 30.01, 30.03), 60, 12)))
    assert rows.index("marg") < rows.index("EWA") < rows.index("FTL")


@pytest.mark.parametrize("wanted", [[0, 0, 0], [5, 5, 5], [2, 2, 3], [0, 3, 5]])
def test_labels_are_moved_apart_within_the_plot(wanted):
    placed = apart(wanted, 6)
    assert placed == sorted(set(placed))
    assert placed[0] >= 0
    assert placed[-1] <= 5


def test_the_baseline_is_dashed():
    rows = texts(render(level(30.0, 31.0, 40.0, width=100), 100, 20))
    (baseline,) = [row for row in rows if "marginal" in row]
    plot = baseline[6 : 6 + plot_columns(100)]
    assert plot.split() == [plot[:2]] * len(plot.split())


def test_births_are_marked_on_the_axis_and_several_look_different():
    births = np.zeros(plot_columns(60), int)
    births[3], births[5] = 1, 2
    rows = render(level(30.0, births=births), 60, 12)
    axis = texts(rows)[-2]
    assert (axis[6 + 3], axis[6 + 5]) == ("▴", "▲")
    assert roles_of(rows, "▴") == {"birth"}
    axis = texts(render(level(30.0, births=births), 60, 12, ASCII))[-2]
    assert (axis[6 + 3], axis[6 + 5]) == ("^", "A")


def test_labels_of_the_axis_stand_below_their_marks():
    rows = texts(render(level(30.0, x_labels=((4, "402k"), (20, "404k"))), 60, 12))
    assert rows[-1].index("402k") == rows[-2].index("┬") == 6 + 4


def test_labels_of_the_axis_that_would_meet_are_left_out():
    rows = texts(render(level(30.0, x_labels=((4, "402k"), (6, "404k"))), 60, 12))
    assert "402k" in rows[-1]
    assert "404k" not in rows[-1]


def test_points_have_a_zero_line_and_signs():
    rows = texts(render(level(3.0, -2.0, unit="points"), 60, 12))
    (zero,) = [row for row in rows if row.startswith("    0┤")]
    assert "┄┄┄┄" in zero
    assert any("+3.0" in row for row in rows)
    assert any("-2.0" in row for row in rows)


def test_a_crosshair_is_a_line_with_the_value_of_every_series():
    rows = texts(render(level(30.0, 32.0, crosshair=7, note="row 407,114"), 60, 12))
    assert rows[0].split() == ["EWA", "30.0%", "FTL", "32.0%", "row", "407,114"]
    assert sum(row[6 + 7] == "┆" for row in rows) >= 5


def test_a_crosshair_without_a_header_shows_its_values_too():
    rows = texts(render(level(30.0, crosshair=7, title="", note=""), 60, 12))
    assert rows[0].startswith("EWA 30.0%")


def test_values_move_to_the_header_where_there_is_no_room_at_the_right():
    assert texts(render(level(30.0, 32.0, width=30), 30, 6))[0].startswith("EWA 30.0%  FTL 32.0%")
    assert texts(render(level(30.0, 32.0, 36.0, width=20), 20, 3))[0] == "E 30.0 F 32.0 m 36.0"


def test_a_curve_that_ends_early_carries_its_initial():
    view = level(30.0, width=60)
    begun = view.series[0].values.copy()
    begun[20:] = np.nan
    view = replace(view, series=(replace(view.series[0], values=begun),))
    assert any(row[6 + 10] == "E" for row in texts(render(view, 60, 12)))


def test_series_differ_in_ascii():
    rows = "".join(texts(render(level(30.0, 32.0, 36.0), 60, 12, ASCII)))
    assert all(sample in rows for sample in ("####", "****", "----"))


def test_a_chart_without_data_still_has_an_axis():
    view = CurvesView("errors", (), np.zeros(0, int), (), "%", None, "")
    assert any("100%" in row for row in texts(render(view, 60, 12)))


def test_infinite_values_do_not_stretch_the_range():
    view = level(30.0)
    wild = view.series[0].values.copy()
    wild[3] = np.inf
    assert bounds(replace(view, series=(replace(view.series[0], values=wild),)), None).high < 50


def test_appending_leaves_earlier_columns_as_they_are():
    half, more = curves_view(100, share=0.5), curves_view(100, share=0.6)
    y = bounds(curves_view(100), None)
    before, after = (texts(render(view, 100, 20, y=y)) for view in (half, more))
    seen = 6 + plot_columns(100) // 2 - 1
    assert [row[:seen] for row in before] == [row[:seen] for row in after]


class Page(App):
    resized = 0

    def compose(self):
        yield Curves()

    def on_drawing_resized(self):
        self.resized += 1


async def test_the_range_is_kept_from_frame_to_frame_and_dropped_with_the_unit():
    app = Page()
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        chart = app.query_one(Curves)
        chart.draw(level(20.0, 40.0))
        wide = texts(chart.rows)
        chart.draw(level(22.0, 38.0))
        assert texts(chart.rows)[-3][:6] == wide[-3][:6]
        chart.draw(level(0.5, unit="points"))
        assert any(row.startswith("    0┤") for row in texts(chart.rows))


async def test_a_new_size_draws_the_same_view_again():
    app = Page()
    async with app.run_test(size=(60, 12)) as pilot:
        await pilot.pause()
        chart = app.query_one(Curves)
        chart.draw(level(20.0))
        for size in ((100, 30), (20, 3), (1, 1), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause()
            assert [len(row) for row in texts(chart.rows)] == [size[0]] * size[1]
        assert app.resized == 5
