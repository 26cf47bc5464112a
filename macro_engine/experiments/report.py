"""Writes an experiment as a folder: figures, tables, settings, and one page with all of it."""

from __future__ import annotations

import csv
import html
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from macro_engine.core.atomic_files import write_atomically
from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.experiments.figures import check_matplotlib, figures
from macro_engine.experiments.outcome import Outcome, versions
from macro_engine.experiments.written_tables import as_html, as_markdown

PAPER = (
    "A. Zimin and C. H. Lampert, MACRO: A Meta-Algorithm for Conditional Risk Minimization "
    "(preprint, 2018)"
)
_NOTE = 1000  # characters of a note at most
_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 78em; padding: 0 1em;
  color: #1c1c1c; background: #ffffff }
table { border-collapse: collapse; margin: 1.2em 0; font-size: 14px;
  font-variant-numeric: tabular-nums; display: block; overflow-x: auto }
caption { text-align: left; font-weight: 600; padding-bottom: .3em; white-space: nowrap }
th, td { padding: .12em .6em; text-align: right; white-space: nowrap;
  border-bottom: 1px solid #dddddd }
tr > th:first-child { text-align: left } small { color: #6a6a6a }
figure { display: inline-block; margin: .4em; width: 30em } figure svg { width: 100%; height: auto }
pre { white-space: pre-wrap }
@media (prefers-color-scheme: dark) {
  body { color: #dddddd; background: #1c1c1c } th, td { border-color: #444444 }
  small { color: #a0a0a0 } figure { background: #ffffff }
}
"""


def check_report(folder: Path) -> None:
    """Refuses a folder that cannot be written, before any work is done."""
    check_matplotlib()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--report {visible(folder)}: that is a file; name a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MacroError(f"{visible(folder)} cannot be made: {error.strerror}") from None


def write_report(outcome: Outcome, folder: Path, when: str, command: str) -> None:
    """Writes the report; the page shows `when` and `command`."""
    drawn = dict(figures(outcome.cells, outcome.settings["history"]))
    document = outcome.document()
    settings = {"date": when, "command": command, "settings": outcome.settings} | {
        "versions": versions()
    }
    files = {
        "index.html": _page(outcome, drawn, settings),
        "tables.md": _markdown(outcome, settings),
        "cells.csv": _csv(document["cells"]),
        "claims.csv": _csv(document["claims"]),
        "differences.csv": _csv(document["differences"]),
        "settings.json": json.dumps(settings, indent=1) + "\n",
    } | {f"{visible(name).replace('/', '_')}.svg": svg for name, svg in drawn.items()}
    try:
        write_atomically({folder / name: text.encode() for name, text in files.items()})
    except OSError as error:
        raise MacroError(f"{visible(folder)} cannot be written: {error.strerror}") from None


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    held = io.StringIO()
    if rows:
        writer = csv.DictWriter(held, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return held.getvalue()


def _title(outcome: Outcome) -> str:
    return f"The paper's experiment on {'flights' if outcome.name == 'airline' else 'videos'}"


def _markdown(outcome: Outcome, settings: Mapping[str, Any]) -> str:
    parts = [f"# {_title(outcome)}", f"{PAPER}.", _made(settings)]
    parts += [f"- {note}" for note in outcome.notes]
    parts += [as_markdown(table) for table in outcome.tables]
    parts += ["## Claims", *(as_markdown(table) for table in outcome.claims)]
    return "\n\n".join(parts) + "\n"


def _made(settings: Mapping[str, Any]) -> str:
    used = ", ".join(f"{name} {number}" for name, number in settings["versions"].items())
    return f"Made on {settings['date']} by `{settings['command']}` with {used}."


def _page(outcome: Outcome, drawn: Mapping[str, str], settings: Mapping[str, Any]) -> str:
    """One page that needs no other file."""
    pictures = "".join(f"<figure>{svg[svg.index('<svg') :]}</figure>" for svg in drawn.values())
    notes = "".join(f"<li>{html.escape(visible(note, _NOTE))}</li>" for note in outcome.notes)
    title = html.escape(_title(outcome))
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="en"><head><meta charset="utf-8"><title>{title}</title>',
            f"<style>{_STYLE}</style></head><body>",
            f"<h1>{title}</h1>",
            f"<p>{html.escape(PAPER)}.</p>",
            f"<ul>{notes}</ul>",
            "<h2>Tables</h2>",
            "<p>Our figure first; the paper's beside it, smaller.</p>",
            *(as_html(table) for table in outcome.tables),
            "<h2>Claims</h2>",
            *(as_html(table) for table in outcome.claims),
            "<h2>Figures</h2>",
            pictures,
            "<h2>How it was made</h2>",
            f"<pre>{html.escape(json.dumps(settings, indent=1))}</pre>",
            "</body></html>",
            "",
        ]
    )
