"""The process in the background of a demo: plays feeds, and runs over them where asked for.

    python -m macro_tui.demo.feeding feeds|runs FOLDER AIRPORT...

It ends when its standard input does, and removes the folder.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path

PACE = 4000.0  # times the stream's own: a day in 22 s
_TRIES = 50  # to remove a folder in which files appear


def main(words: list[str]) -> None:
    kind, folder, airports = words[0], Path(words[1]), words[2:]
    tempfile.tempdir = str(folder)
    threading.Thread(target=_play, args=(kind == "runs", folder, airports), daemon=True).start()
    while os.read(0, 1):
        pass
    for _ in range(_TRIES):
        shutil.rmtree(folder, ignore_errors=True)
        if not folder.exists():
            break
    os._exit(0)


def feed_path(folder: Path, airport: str) -> Path:
    return folder / f"{airport}.csv"


def _play(with_runs: bool, folder: Path, airports: list[str]) -> None:
    """Plays every feed in a thread of its own, and runs over it in another."""
    from macro_engine.datasets.storm import Storm
    from macro_engine.datasets.storm_feed import feed
    from macro_tui.replays import find_recording

    for airport in airports:
        recording = find_recording(f"airline-{airport}.parquet")
        _begin(partial(feed, recording, Storm(), feed_path(folder, airport), PACE))
    if with_runs:
        for airport in airports:
            _run_over(feed_path(folder, airport))


def _run_over(path: Path) -> None:
    """Starts what `macro-tui tail FEED --run FILE.run` does."""
    from macro_tui.cli import parser_of
    from macro_tui.cli.tail import open_session

    words = ["tail", str(path), "--run", str(path.with_suffix(".run"))]
    open_session(parser_of("tail").parse_args(words), descriptor=0).start()


def _begin(action: Callable[[], None]) -> None:
    def act() -> None:
        try:
            action()
        except Exception:  # to the log in the folder
            traceback.print_exc()

    threading.Thread(target=act, daemon=True).start()


if __name__ == "__main__":
    main(sys.argv[1:])
