"""Connects to an existing Dask cluster, and checks its workers."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.extras import how_to_install
from macro_engine.work import identity
from macro_engine.work.identity import fingerprint, program

_PATIENCE = "10s"  # to be answered by a scheduler
_SHOWN = 3  # workers that are named in a message


def connect(address: str) -> Any:
    """A client of the scheduler at an address, all of whose workers run this program.

    Raises `UsageError` where Dask is not installed, `MacroError` where nobody answers or a worker
    runs another program.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            f"--scheduler needs Dask; install it with: {how_to_install('dask')}"
        ) from None
    name = visible(address)
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as error:
        why = visible(str(error).splitlines()[0] if str(error) else type(error).__name__, 200)
        raise MacroError(
            f"--scheduler {name}: no Dask scheduler answers ({why}); write its address, such as "
            "tcp://127.0.0.1:8786"
        ) from None
    try:
        _check_workers(client, name)
    except BaseException:
        client.close(timeout=1)
        raise
    return client


def _check_workers(client: Any, name: str) -> None:
    """Refuses a cluster without workers, or with some that run another program."""
    found = client.run(identity.program, on_error="return")
    if not found:
        raise MacroError(f"--scheduler {name}: it has no workers; start some with dask worker")
    strange = {worker: said for worker, said in found.items() if said != program()}
    if not strange:
        return
    words = []
    for worker, said in list(strange.items())[:_SHOWN]:
        runs = f"runs {said}" if isinstance(said, str) else f"has none ({visible(said, 100)})"
        words.append(f"{visible(worker)} {runs}")
    more = f", and {len(strange) - _SHOWN} more" if len(strange) > _SHOWN else ""
    raise MacroError(
        f"--scheduler {name}: the workers need the same macro-tui as this one, {program()}: "
        f"{'; '.join(words)}{more}. Install it there and start them again"
    )


def worker_name() -> str:
    """What this worker is called in messages."""
    return f"{socket.gethostname()}, process {os.getpid()}"


def check_program(wanted: str) -> None:
    """In a worker: refuses to do what another program asks for, if it came after the others."""
    if wanted != program():
        raise MacroError(
            f"the worker at {worker_name()} runs macro-tui {program()}, and the one that asks "
            f"{wanted}; install the same there and start it again"
        )


def check_data(data: list[tuple[str, str]]) -> tuple[Path, ...]:
    """In a worker: the files, if they are here and hold what they hold where they were named."""
    paths = []
    for text, wanted in data:
        path = Path(text)
        advice = (
            "a worker reads the data at the same path as the command: share the folder, or copy it"
        )
        if not path.exists():
            raise MacroError(f"{visible(path)} is not on the worker at {worker_name()}; {advice}")
        try:
            found = fingerprint(path)
        except MacroError as error:
            raise MacroError(f"{error}, on the worker at {worker_name()}; {advice}") from None
        if found != wanted:
            raise MacroError(
                f"{visible(path)} is another file on the worker at {worker_name()}; {advice}"
            )
        paths.append(path)
    return tuple(paths)
