"""A progress bar on a terminal; where there is none, a line a minute."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

_LOG_SECONDS = 60.0


@contextmanager
def progress_bar(console: Console) -> Iterator[Callable[[float, str], None]]:
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
        yield lambda done, words: bar.update(task, completed=done, description=words)


@contextmanager
def status_line(console: Console) -> Iterator[Callable[[float, str], None]]:
    """Yields a function that shows a status only, for a stream without an end."""
    if not console.is_terminal:
        yield _log(console, with_share=False)
        return
    with console.status("starting") as status:
        yield lambda _done, words: status.update(Text(words))


def _log(console: Console, with_share: bool = True) -> Callable[[float, str], None]:
    last = monotonic()

    def show(done: float, words: str) -> None:
        nonlocal last
        if monotonic() - last >= _LOG_SECONDS:
            last = monotonic()
            console.print(Text(f"{done:.0%}  {words}" if with_share else words))

    return show
