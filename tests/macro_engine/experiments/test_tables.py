"""Tables as text, Markdown and HTML."""

from macro_engine.experiments.cells import THRESHOLD, Cell, Cells, Group, Verdict
from macro_engine.experiments.paper_figures import ACTIVITIES, AIRPORTS, FLIGHTS, VIDEOS
from macro_engine.experiments.tables import Entry, ResultTable, TableRow, claim_tables, errors_table
from macro_engine.experiments.written_tables import as_html, as_markdown, as_text


def paper_as_ours(places, table, group):
    """Cells in which ours are what the paper has."""
    cells = Cells(places)
    for place in places:
        here = group.elsewhere(place)
        for series in table.series:
            error = table.error(place, series)
            cells.add(Cell(here, series, None, error / 100, error))
        for threshold in table.thresholds:
            error = table.error(place, THRESHOLD, threshold)
            cells.add(Cell(here, THRESHOLD, threshold, error / 100, error))
    return cells


def test_seven_airports_fit_eighty_columns_in_the_order_of_the_paper():
    group, table = Group("", "features", "logistic", "sqrt", 1), FLIGHTS["features", "logistic"]
    cells = paper_as_ours(AIRPORTS, table, group)
    lines = as_text(errors_table(cells, group, table, "title"), 80).splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[1].split() == list(AIRPORTS)
    assert lines[2].split()[:2] == ["ERM-SR", "23.7/23.7"]
    labels = [line[:9].strip() for line in lines[2:]]
    assert labels[:4] == ["ERM-SR", "ERM-FTL", "ERM-EWA", "eps .15"]
    assert labels[-1] == "FTL gain"
    assert lines[-1].split()[2] == "5.5/5.5"  # ATL: 23.7 to 22.4


def test_columns_that_do_not_fit_follow_below():
    group, table = Group("", "frames", "nearest-mean", None, 5), VIDEOS["frames", "nearest-mean"]
    text = as_text(errors_table(paper_as_ours(ACTIVITIES, table, group), group, table, "t"), 80)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 80
    heads = [line.split() for line in lines if line.split() and line.split()[0] in ACTIVITIES]
    assert [name for head in heads for name in head] == list(ACTIVITIES)
    assert sum(line.startswith("G-NB-FTL") for line in lines) == len(heads) == 2


def test_rows_that_were_not_computed_are_left_out():
    group = Group("", "labels", "logistic", "sqrt", 1)
    cells = Cells(["ATL"])
    cells.add(Cell(group.elsewhere("ATL"), "marginal", None, 0.2, None))
    labels = [row.label for row in errors_table(cells, group, None, "").rows]
    assert labels == ["ERM-SR"]


def test_a_claim_has_a_verdict_and_a_value_for_each_place():
    verdicts = [
        Verdict("c", "r < 0", place, value < 0, value, "labels", "logistic", "sqrt")
        for place, value in (("ATL", -0.5), ("ORD", 0.25))
    ]
    (table,) = claim_tables(["ATL", "ORD"], verdicts)
    assert table.title == "c: holds 1 of 2  (r < 0)"
    assert [entry.text for entry in table.rows[0].entries] == ["yes -0.50", "no 0.25"]


def test_markdown_and_html_hold_the_same_figures():
    table = ResultTable(
        "a | b <c>", ("ATL",), (TableRow("SR", (Entry("19.4", "23.7"),)),), ("note & more",)
    )
    assert "| SR | 19.4 / 23.7 |" in as_markdown(table)
    page = as_html(table)
    assert "<td>19.4 <small>23.7</small></td>" in page
    assert "a | b &lt;c&gt;" in page
    assert "note &amp; more" in page
