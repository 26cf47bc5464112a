"""`macro-tui demo`: plays a stormy week at an airport as a live feed."""

from __future__ import annotations

import argparse
import sys
import threading
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from macro_engine.core.errors import MacroError
from macro_tui.cli.screen import add_screen_arguments, options_of
from macro_tui.standard_streams import need_keys

if TYPE_CHECKING:
    from macro_engine.run.session import Session
    from macro_tui.app import Options
    from macro_tui.demo.background import Background

AIRPORT = "ORD"
AIRPORTS = ("ATL", "DEN", "DFW", "IAH", "LAS", "ORD", "PHX")
TITLE = "Chicago O'Hare"
STORM_ALARM = "ftl > 16%"  # watched from the beginning of the week
SILENCE_ALARM = "no rows for 15s"
_LOOK_SECONDS = 0.2
_STEPS_A_COLUMN = 12  # of the chart: the days before, and the week as it comes
_NEXT = """\
That was a demo: nothing of it was kept. Next:
  macro-tui replay airline-ATL.parquet    six months of arrivals in Atlanta
  macro-tui inspect FILE.csv              what would be read from your file
  macro-tui tail LIVE.csv --run ops.run   follow a feed of yours, and record it"""

EXAMPLES = (
    "macro-tui demo",
    "macro-tui demo --wall                     # all seven airports",
    "macro-tui demo --low-bandwidth --ascii    # over a thin link",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tour",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="explain each panel when something first happens in it; the default",
    )
    parser.add_argument("--wall", action="store_true", help="all seven airports on one screen")
    add_screen_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    options_of(arguments, TITLE)  # a wrong rule or theme is said before anything else
    if not sys.stdout.isatty():
        raise MacroError(
            "demo needs a terminal; without one: macro-tui replay airline-ORD.parquet --headless"
        )
    need_keys()
    from macro_tui.demo.background import feeds

    show = _show_wall if arguments.wall else _show_feed
    airports = AIRPORTS if arguments.wall else (AIRPORT,)
    with feeds(airports, with_runs=arguments.wall) as background:
        code = show(arguments, background)
    print(_NEXT, file=sys.stderr)
    return code


def _show_feed(arguments: argparse.Namespace, background: Background) -> int:
    from macro_tui.monitor import monitor

    arguments.alarm = [SILENCE_ALARM, *arguments.alarm]
    options = options_of(arguments, TITLE)
    return monitor(partial(open_feed, background), options_for_demo(options, arguments.tour))


def options_for_demo(options: Options, has_tour: bool = True) -> Options:
    """Options of the monitor, as a demo has them."""
    from macro_engine.datasets.storm import Storm

    tour_of = Storm().microseconds if has_tour else None
    return replace(options, tour_of=tour_of, width=_STEPS_A_COLUMN, asks_before_leaving=False)


def open_feed(background: Background) -> Session:
    """What `macro-tui tail ORD.csv --run demo.run` runs."""
    from macro_tui.cli import parser_of
    from macro_tui.cli.tail import open_session
    from macro_tui.demo.feeding import feed_path

    folder = background.folder
    words = ["tail", str(feed_path(folder, AIRPORT)), "--run", str(folder / "demo.run")]
    session = open_session(parser_of("tail").parse_args(words), descriptor=0)
    threading.Thread(target=attend, args=(session, background), daemon=True).start()
    return session


def attend(session: Session, background: Background) -> None:
    """When what lies before is read, lets the week begin, and sets its alarm as the key A does."""
    from macro_engine.datasets.storm import Storm
    from macro_engine.run.alarms.rules import parse

    storm = Storm()
    while not storm.is_reached(session.snapshot.time):
        if session.ending.wait(_LOOK_SECONDS):
            return
    background.begin()
    while (session.snapshot.time or 0) < storm.microseconds:
        if session.ending.wait(_LOOK_SECONDS):
            return
    session.alarms.add(parse(STORM_ALARM), is_kept=True)


def _show_wall(arguments: argparse.Namespace, background: Background) -> int:
    from macro_tui.monitor import show_wall

    return show_wall([background.folder], options_of(arguments, "seven airports", readonly=True))
