"""Runs the monitor from the first paint to the summary in the shell."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

from macro_tui.app import INTERRUPTED, Monitor, Options
from macro_tui.cli.alarms import RANG
from macro_tui.driver import terminal_is_gone
from macro_tui.signal_exit import PATIENCE_TO_ABANDON, within
from macro_tui.standard_streams import is_served

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from macro_engine.run.view import RunView
    from macro_engine.run.wall import RunLine

_SIGNALS = (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)
_PATIENCE = 0.5  # seconds for the block at hand and for closing the run file


def monitor(open_session: Callable[[], RunView], options: Options) -> int:
    """Shows a run until the user leaves; the summary stays in the scrollback.

    The run is opened after the first paint.
    """
    app = Monitor(open_session, options)
    code = _run(app)
    if app.session is None:
        return code
    code = _leave(app.session, app.error, code)
    return RANG if options.fail_on_alarm and app.session.alarms.rung else code


def show_wall(
    places: Sequence[Path],
    options: Options,
    elsewhere: Callable[[], dict[Path, RunLine]] = dict,
) -> int:
    """Shows many runs until the user leaves; `elsewhere` tells of those not in the places."""
    from macro_tui.wall_app import WallMonitor

    app = WallMonitor(places, options, elsewhere)
    code = _run(app)
    for left in (app.session, app.wall):
        if left is not None:
            left.stop(_PATIENCE)
    if app.error is not None:
        raise app.error
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    rang = app.wall is not None and app.wall.rung > 0
    return RANG if options.fail_on_alarm and rang else code


def _run(app: Monitor) -> int:
    """Runs the screen; returns the exit code."""
    app.listen(*_SIGNALS)
    code = app.run()
    app.left.set()
    for signum in _SIGNALS:  # from here on a signal is an interruption
        signal.signal(signum, signal.default_int_handler)
    if terminal_is_gone():
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for standard in (1, 2):
            os.dup2(nowhere, standard)
    if code is None:  # it failed and printed why
        code = app.return_code or 1
    if app.on_alarm is not None:
        app.on_alarm.close()
    return code


def _leave(session: RunView, error: BaseException | None, code: int) -> int:
    try:
        if not session.stop(_PATIENCE) and not _waited_for(session):
            _break_off(session, code)
    except KeyboardInterrupt:
        _break_off(session, INTERRUPTED)
    try:
        if (failure := error or session.error) is not None:
            raise failure
        if not is_served():  # who looked on in a browser has no terminal
            _print_summary(session)
    finally:
        session.close()
    gc.freeze()  # freeing every object would take half a second
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code


def _waited_for(session: RunView) -> bool:
    """Waits for the result files of a live run; returns whether the run ended."""
    if not (seconds := session.writing_seconds):
        return False
    print("macro-tui: writing the results ...", file=sys.stderr, flush=True)
    return session.stop(seconds)


def _break_off(session: RunView, code: int) -> NoReturn:
    """Ends the process: a compiler or a model that does not return cannot be stopped otherwise."""
    within(PATIENCE_TO_ABANDON, session.abandon)
    print("macro-tui: interrupted during a step or during compilation", file=sys.stderr)
    sys.stderr.flush()
    os._exit(code)


def _print_summary(session: RunView) -> None:
    from rich.console import Console

    from macro_tui.summary import print_summary

    if (summary := session.summary()) is not None:
        console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
        print_summary(summary, console)
