"""What the chart shows."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from made_views import curves_view, roles_of, texts
from textual.app import App

from macro_tui.view.curves import (
    CurvesView,
    Series,
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
    view = CurvesView(series, np.zeros(columns // 2, int), (), "%", None, "")
    return replace(view, **changes)


def test_the_legend_has_one_order_and_one_place():
    for values in ((30.0, 40.0, 35.0), (40.0, 30.0, 35.0)):
        rows = texts(render(level(*values, width=100), 100, 20))
        ewa, ftl, base = values
        assert rows[0].startswith(f"━ EWA {ewa}%  ─ FTL {ftl}%  ╌ marginal {base}%")


def test_the_baseline_is_dashed():
    rows = texts(render(level(30.0, 31.0, 40.0, width=100), 100, 20))
    (baseline,) = [row for row in rows[1:5] if row[7:].strip()]
    plot = baseline[7:]
    assert plot.split() == [plot[:2]] * len(plot.split())


def test_births_are_marked_on_the_axis_and_several_look_different():
    births = np.zeros(plot_columns(60), int)
    births[3], births[5] = 1, 2
    rows = render(level(30.0, births=births), 60, 12)
    axis = texts(rows)[-2]
    assert (axis[7 + 3], axis[7 + 5]) == ("▴", "▲")
    assert roles_of(rows, "▴") == {"birth"}
    axis = texts(render(level(30.0, births=births), 60, 12, ASCII))[-2]
    assert (axis[7 + 3], axis[7 + 5]) == ("^", "A")


def test_labels_of_the_axis_stand_below_their_marks():
    rows = texts(render(level(30.0, x_labels=((4, "402k"), (20, "404k"))), 60, 12))
    assert rows[-1].index("402k") == rows[-2].index("┬") == 7 + 4


def test_labels_of_the_axis_that_would_meet_are_left_out():
    rows = texts(render(level(30.0, x_labels=((4, "402k"), (6, "404k"))), 60, 12))
    assert "402k" in rows[-1]
    assert "404k" not in rows[-1]


@pytest.mark.parametrize("height", [9, 12, 20])
@pytest.mark.parametrize("value", [-0.0198, -0.4, 0.031, 7.3, -60.0])
def test_both_sides_of_a_lead_have_their_names_and_ticks_are_round(value, height):
    series = (Series("MACRO", "ftl", np.full(106, value), value),)
    shown = texts(render(level(unit="nats ahead", series=series), 60, height))
    sides = [row[:6] for row in shown]
    assert sides.count("better") == sides.count(" worse") == 1
    numbers = [
        float(text) for row in shown if "┤" in row and (text := row[:6].strip())[-1].isdigit()
    ]
    sizes = {f"{abs(a - b):.1e}"[0:3] for a, b in pairwise(numbers)}
    assert sizes <= {"1.0", "1.5", "2.0", "2.5", "3.0", "4.0", "5.0", "6.0"}


def test_a_lead_is_an_area_from_zero_and_says_which_side_is_better():
    values = np.concatenate([np.full(40, 3.0), np.full(40, -2.0), np.full(26, np.nan)])
    view = level(unit="points", series=(Series("MACRO", "ftl", values, -2.0),))
    rows = render(view, 60, 12)
    shown = texts(rows)
    assert (shown[1][:7], shown[9][:7]) == ("better┤", " worse┤")
    zero = next(y for y, row in enumerate(shown) if row.startswith("     0┤"))
    assert shown[zero][7:] == "⣿" * 20 + "▁" * 33
    assert shown[zero + 1][7:].strip() == "⣿" * 20
    assert shown[zero + 1][27:47] == "⣿" * 20
    assert roles_of(rows[zero : zero + 1], "⣿") == {"good"}
    assert roles_of(rows[zero + 1 : zero + 2], "⣿") == {"bad"}
    assert shown[0].startswith("█ MACRO -2.0")
    assert texts(render(view, 60, 12, ASCII))[zero][7:27] == "#" * 20


def test_a_second_lead_is_a_line_over_the_area():
    columns = 2 * plot_columns(60)
    leads = [("MACRO", "ftl", 3.0), ("blend", "strategy", 1.6)]
    series = tuple(Series(n, r, np.full(columns, v), v) for n, r, v in leads)
    rows = render(level(unit="points", series=series), 60, 12)
    assert texts(rows)[0].startswith("█ MACRO +3.0  ═ blend +1.6")
    line = [row for row in rows[1:-2] if any(role == "strategy" for _, role in row)]
    assert len(line) == 1
    assert not roles_of(line, "⣿")


@pytest.mark.parametrize("value", [0.0, 1e-9, -1e-9])
def test_no_lead_at_all_is_drawn_too(value):
    values = np.full(2 * plot_columns(60), value)
    rows = texts(render(level(unit="points", series=(Series("x", "ftl", values, 0.0),)), 60, 12))
    assert sum(set(row[7:]) <= {"⣀", "⠉"} for row in rows[1:-2]) == 1


def test_the_start_is_left_out_of_the_range_once_there_is_more():
    view = level(30.0)
    values = view.series[0].values.copy()
    values[:10] = 90.0
    view = replace(view, series=(replace(view.series[0], values=values),), steady=10)
    assert bounds(view, None).high < 40
    values[10:] = np.nan
    assert bounds(view, None).high > 80


def test_a_crosshair_is_a_line_with_the_value_of_every_series():
    rows = texts(render(level(30.0, 32.0, crosshair=7, note="row 407,114"), 60, 12))
    assert rows[0].split() == ["━", "EWA", "30.0%", "─", "FTL", "32.0%", "row", "407,114"]
    assert sum(row[7 + 7] == "┆" for row in rows) >= 5


def test_the_legend_is_short_where_there_is_no_room():
    assert texts(render(level(30.0, 32.0, 36.0, width=20), 20, 3))[0] == "E 30.0 F 32.0 m 36.0"


def test_a_curve_that_ends_early_carries_its_initial():
    view = level(30.0, width=60)
    begun = view.series[0].values.copy()
    begun[20:] = np.nan
    view = replace(view, series=(replace(view.series[0], values=begun),))
    assert any(row[7 + 10] == "E" for row in texts(render(view, 60, 12)))


def test_series_differ_in_ascii():
    rows = "".join(texts(render(level(30.0, 32.0, 36.0), 60, 12, ASCII)))
    assert all(sample in rows for sample in ("####", "****", "----"))


def test_a_chart_without_data_still_has_an_axis():
    view = CurvesView((), np.zeros(0, int), (), "%", None, "")
    assert any("100%" in row for row in texts(render(view, 60, 12)))


def test_infinite_values_do_not_stretch_the_range():
    view = level(30.0)
    wild = view.series[0].values.copy()
    wild[3] = np.inf
    assert bounds(replace(view, series=(replace(view.series[0], values=wild),)), None).high < 50


def test_appending_leaves_earlier_columns_as_they_are():
    half, more = curves_view(100, share=0.5), curves_view(100, share=0.6)
    y = bounds(curves_view(100), None)
    before, after = (texts(render(view, 100, 20, y=y))[1:] for view in (half, more))
    seen = 7 + plot_columns(100) // 2 - 1
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
        assert any(row.startswith("     0┤") for row in texts(chart.rows))


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
