"""From a way to make an engine to a screen, and back to the shell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from macro_tui.app import INTERRUPTED, Monitor, Options

if TYPE_CHECKING:
    from macro_engine.run.session import Load, Session

_PATIENCE = 0.8


def monitor(load: Load, options: Options) -> int:
    """Show a run until the user leaves; the summary stays in the scrollback."""

    def open_session() -> Session:
        from macro_engine.run.session import Session

        return Session(load)

    app = Monitor(open_session, options)
    code = app.run()
    if app.session is None:
        return app.return_code or 0
    return _leave(app.session, app.return_code or 0 if code is None else code)


def _leave(session: Session, code: int) -> int:
    has_ended = session.stop(_PATIENCE)
    if session.error is not None:
        raise session.error
    if has_ended:
        _print_summary(session)
        session.close()
    if code == INTERRUPTED:
        raise KeyboardInterrupt
    return code


def _print_summary(session: Session) -> None:
    from rich.console import Console

    from macro_tui.summary import print_summary

    if session.engine is not None and session.engine.steps:
        console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
        print_summary(session.engine, console)
