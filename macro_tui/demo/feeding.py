"""The background process of a demo: plays feeds, and runs over them on request.

    python -m macro_tui.demo.feeding feeds|runs FOLDER AIRPORT...

It ends when its standard input does, and removes the folder. The week of feeds alone begins with
the first byte that comes there, those of feeds with runs when the run has read the days before.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from macro_engine.run.session import Session

PACE = 4000.0  # times the stream's own: a day in 22 s
_LOOK_SECONDS = 0.1
_TRIES = 50  # to remove a folder in which files appear


def main(words: list[str]) -> None:
    kind, folder, airports = words[0], Path(words[1]), words[2:]
    tempfile.tempdir = str(folder)
    begins = threading.Event()
    if kind == "runs":
        _begin(partial(_play_with_runs, folder, airports))
    else:
        _begin(partial(_play, folder, airports, begins.is_set))
    while os.read(0, 1):
        begins.set()
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            break
    os._exit(0)


def feed_path(folder: Path, airport: str) -> Path:
    return folder / f"{airport}.csv"


def _play(folder: Path, airports: list[str], may_begin: Callable[[], bool]) -> None:
    """Plays every feed in a thread of its own."""
    from macro_engine.datasets.storm import Storm
    from macro_engine.datasets.storm_feed import feed
    from macro_tui.replays import find_recording

    for airport in airports:
        recording = find_recording(f"airline-{airport}.parquet")
        path = feed_path(folder, airport)
        _begin(partial(feed, recording, Storm(), path, PACE, may_begin))


def _play_with_runs(folder: Path, airports: list[str]) -> None:
    """Plays every feed, and runs over it; the first alone while the compiler is at work."""
    for airport in airports:
        session = _run_over(feed_path(folder, airport))
        _play(folder, [airport], partial(_has_read_what_lies_before, session))
        while _is_warming_up(session):
            time.sleep(_LOOK_SECONDS)


def _has_read_what_lies_before(session: Session) -> bool:
    from macro_engine.datasets.storm import Storm

    return Storm().is_reached(session.snapshot.time)


def _is_warming_up(session: Session) -> bool:
    snapshot = session.snapshot
    return not snapshot.has_ended and (snapshot.steps == 0 or bool(snapshot.warming))


def _run_over(path: Path) -> Session:
    """Starts what `macro-tui tail FEED --run FILE.run` does."""
    from macro_tui.cli import parser_of
    from macro_tui.cli.tail import open_session

    words = ["tail", str(path), "--run", str(path.with_suffix(".run"))]
    session = open_session(parser_of("tail").parse_args(words), descriptor=0)
    session.start()
    return session


def _begin(action: Callable[[], None]) -> None:
    def act() -> None:
        try:
            action()
        except Exception:  # to the log in the folder
            traceback.print_exc()

    threading.Thread(target=act, daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1:])
