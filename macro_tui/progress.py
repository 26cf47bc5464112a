"""A progress bar on a terminal; elsewhere a line a minute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

_LOG_SECONDS = 60.0

Show = Callable[[float, str], bool]  # whether that made a line of a log


@contextmanager
def progress_bar(console: Console) -> Iterator[Show]:
    """Yields a function that shows the share done and a short status."""
    if not console.is_terminal:
        yield _log(console)
        return
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=console,
        transient=True,
    )
    task = bar.add_task("starting", total=1.0)
    with bar:

        def show(done: float, words: str) -> bool:
            bar.update(task, completed=done, description=words)
            return False

        yield show


@contextmanager
def status_line(console: Console) -> Iterator[Show]:
    """Yields a function that shows a status only, for a stream without an end."""
    if not console.is_terminal:
        yield _log(console, with_share=False)
        return
    with console.status("starting") as status:

        def show(_done: float, words: str) -> bool:
            status.update(Text(words))
            return False

        yield show


def _log(console: Console, with_share: bool = True) -> Show:
    last = monotonic()

    def show(done: float, words: str) -> bool:
        nonlocal last
        if monotonic() - last < _LOG_SECONDS:
            return False
        last = monotonic()
        console.print(Text(f"{done:.0%}  {words}" if with_share else words))
        return True

    return show
