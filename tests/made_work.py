"""Works for the tests of tasks; worker processes import them from here."""

import os
import signal
import time
from pathlib import Path

from macro_engine.core.errors import MacroError
from macro_engine.work.tasks import work


@work
def square(task):
    time.sleep(task.settings.get("seconds", 0))
    return {"square": task.settings["number"] ** 2, "third": task.settings["number"] / 3}


@work
def length(task):
    return {"bytes": len(task.data[0].read_bytes())}


@work
def fail(task):
    raise MacroError(f"number {task.settings['number']} is not liked")


@work
def kill_first(task):
    """Kills its process the first time, or every time if there is no place to note it."""
    note = Path(task.settings["note"]) if "note" in task.settings else None
    if note is None or not note.exists():
        if note is not None:
            note.write_text("was here")
        os.kill(os.getpid(), signal.SIGKILL)
    return {"done": True}


@work
def not_json(_task):
    return {"value": float("nan")}


@work
def chatter(_task):
    os.write(1, b"a model that prints\n")
    print("and again")
    return {"pid": os.getpid()}


@work
def meet(task):
    """Waits for the others to come, which must be at work at the same time."""
    folder, number = Path(task.settings["folder"]), task.settings["number"]
    (folder / str(number)).touch()
    until = time.monotonic() + 30
    while len(list(folder.iterdir())) < task.settings["others"] and time.monotonic() < until:
        time.sleep(0.02)
    return {"met": len(list(folder.iterdir())), "pid": os.getpid()}


def unmarked(_task):
    return {}
