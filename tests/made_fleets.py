"""Small streams for tests of fleets."""

import random

from macro_engine.fleet.stream import Stream

OPTIONS = {"label": "y", "classes": "p,q", "every": "10", "history": "1", "thresholds": ".1,.5", "strategies": "ftl", "scale": "none"}  # fmt: skip


def rows(count, seed):
    made = random.Random(seed)
    return "".join(f"{made.random():.3f},{made.choice('pq')}\n" for _ in range(count))


def streams(folder, recordings, live=0, count=600):
    """Recordings, and files that would grow; the run files go to `runs`."""
    (folder / "runs").mkdir(exist_ok=True)
    found = []
    for number in range(recordings + live):
        path = folder / f"s{number}.csv"
        path.write_text("a,y\n" + rows(count, number))
        run = folder / "runs" / f"s{number}.run"
        found.append(Stream(f"s{number}", str(path), str(run), number >= recordings, dict(OPTIONS)))
    return found
