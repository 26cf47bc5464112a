"""Short recorded runs, and what they leave behind, to be compared with others."""

from __future__ import annotations

import time
from contextlib import closing

from made_runs import engine, run, run_until

from macro_engine.core.state import pack
from macro_engine.run.store.runfile import RunReader

STEPS_AT_ONCE = 4


def made_run(stream, folder):
    """An engine whose commits do not depend on how busy the machine is."""
    made = engine(
        stream, folder / "a.run", predictions=folder / "p.parquet", trace=folder / "t.parquet"
    )

    def settle():
        made.pipeline.steps_at_once = STEPS_AT_ONCE
        its = made.recorder
        while (its.in_flight or its.handed_over) and its.trouble is None:
            time.sleep(0.0005)

    made.listener.progress = settle
    return made


def left_in(folder):
    """What a run leaves: its state, and the results of every step."""
    with closing(RunReader(folder / "a.run")) as reader:
        left = {name: pack(part) for name, part in reader.state().items()}
    for name in ("p.parquet", "t.parquet"):
        left[name] = (folder / name).read_bytes()
    return left, sorted(path.name for path in folder.iterdir())


def stopped_and_resumed(stream, folder):
    folder.mkdir()
    run_until(made_run(stream, folder), STEPS_AT_ONCE)
    run(made_run(stream, folder))
    return left_in(folder)


def whole(stream, folder):
    folder.mkdir()
    run(made_run(stream, folder))
    return left_in(folder)
