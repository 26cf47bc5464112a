"""Tables as text for a terminal, as Markdown and as HTML."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator

from macro_engine.experiments.tables import ResultTable, TableRow

_GAP = 1  # between columns


def as_text(table: ResultTable, width: int) -> str:
    """Lines of at most `width` characters; columns that do not fit follow below.

    >>> from macro_engine.experiments.tables import Entry
    >>> row = TableRow("SR", (Entry("19.4", "23.7"), Entry("20.1", "25.3")))
    >>> print(as_text(ResultTable("error in %", ("ATL", "ORD"), (row,)), 20))
    error in %
             ATL
    SR 19.4/23.7
    <BLANKLINE>
             ORD
    SR 20.1/25.3
    """
    labels = max((len(row.label) for row in table.rows), default=0)
    lines = textwrap.wrap(table.title, width)
    for number, columns in enumerate(_fitting(table, width - labels)):
        if number:
            lines.append("")
        wide = {c: _width(table, c) for c in columns}
        lines.append(_line("", [table.columns[c].rjust(wide[c]) for c in columns], labels))
        for row in table.rows:
            texts = [row.entries[c].text.rjust(wide[c]) for c in columns]
            lines.append(_line(row.label, texts, labels))
    for note in table.notes:
        lines += textwrap.wrap(note, width)
    return "\n".join(lines)


def _line(label: str, texts: list[str], labels: int) -> str:
    return "".join([label.ljust(labels), *(" " * _GAP + text for text in texts)]).rstrip()


def _width(table: ResultTable, column: int) -> int:
    texts = [row.entries[column].text for row in table.rows]
    return max(map(len, [table.columns[column], *texts]))


def _fitting(table: ResultTable, width: int) -> Iterator[list[int]]:
    """Columns side by side, as many as fit each time."""
    together: list[int] = []
    used = 0
    for column in range(len(table.columns)):
        needed = _width(table, column) + _GAP
        if together and used + needed > width:
            yield together
            together, used = [], 0
        together.append(column)
        used += needed
    if together:
        yield together


def as_markdown(table: ResultTable) -> str:
    """A table of Markdown under its title in bold."""

    def line(cells: list[str]) -> str:
        return f"| {' | '.join(cells)} |"

    lines = [f"**{_escaped(table.title)}**", "", line(["", *table.columns])]
    lines.append("|---" * (len(table.columns) + 1) + "|")
    lines += [line([row.label, *(_markdown(row, c) for c in _places(table))]) for row in table.rows]
    lines += ["", *table.notes] if table.notes else []
    return "\n".join(lines)


def _places(table: ResultTable) -> range:
    return range(len(table.columns))


def _markdown(row: TableRow, column: int) -> str:
    entry = row.entries[column]
    return f"{entry.ours} / {entry.paper}" if entry.paper else entry.ours


def _escaped(text: str) -> str:
    return text.replace("|", "\\|")


def as_html(table: ResultTable) -> str:
    """A table of HTML with its title as caption."""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in ("", *table.columns))
    lines = [f"<table><caption>{html.escape(table.title)}</caption>", f"<tr>{head}</tr>"]
    for row in table.rows:
        cells = "".join(
            f"<td>{html.escape(entry.ours)}"
            + (f" <small>{html.escape(entry.paper)}</small>" if entry.paper else "")
            + "</td>"
            for entry in row.entries
        )
        lines.append(f"<tr><th>{html.escape(row.label)}</th>{cells}</tr>")
    lines.append("</table>")
    lines += [f"<p>{html.escape(note)}</p>" for note in table.notes]
    return "\n".join(lines)
