"""What a frame of the monitor costs while Atlanta plays, against an earlier version of it.

    python tests/benchmarks/frames.py [FRAMES [FOLDER_OF_THE_OTHER_VERSION [SIZE ...]]]

CPU time of the screen's own thread for drawing everything and sending it to a terminal that is not
there, a frame every 100 steps; half of the frames take less, and 19 of 20. In turn, three times.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHILD = """
import asyncio, json, sys, time
root, frames, width, height = sys.argv[1], *map(int, sys.argv[2:])
sys.path[:0] = [root, root + "/tests"]
from pathlib import Path
from made_sessions import monitor_of, session_over
from macro_engine.run.playing import pace
Target = getattr(pace, "Destination", None) or pace.Target
def prepare(engine):
    engine.pace.paused, engine.pace.target = True, Target(row=600)
path = Path(root, "replays", "airline-ATL.parquet")
session = session_over(path, prepare=prepare)
async def reach(condition):
    ends = time.monotonic() + 200
    while not condition():  # an earlier version tells where it stands only after a step
        if session.error is not None or time.monotonic() > ends:
            raise SystemExit(f"the run does not go on: {session.error or session.snapshot}")
        await asyncio.sleep(0.1)
        if session.controls is not None and session.controls.target is None:
            session.controls.step()
async def play():
    app, spent = monitor_of(session), []
    async with app.run_test(size=(width, height)) as pilot:
        await reach(lambda: getattr(app.screen, "shown", None) is not None)
        main = app.screen
        for row in range(1200, 1200 + 600 * frames, 600):
            session.controls.go_to(Target(row=row))
            await reach(lambda: session.snapshot.rows >= row - 100)
            await asyncio.sleep(0.15)
            started = time.thread_time()
            main.draw()
            await asyncio.sleep(0.15)
            spent.append(1000 * (time.thread_time() - started))
    session.stop(5)
    session.close()
    print(json.dumps(sorted(spent[frames // 10:])))
asyncio.run(play())
"""


def measured(root: str, frames: int, size: str) -> tuple[float, float]:
    """Milliseconds that half of the frames stay below, and 19 of 20."""
    arguments = [sys.executable, "-P", "-c", CHILD, root, str(frames), *size.split("x")]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{root}: {done.stderr}")
    spent = json.loads(done.stdout.splitlines()[-1])
    return spent[len(spent) // 2], spent[len(spent) * 19 // 20]


def main() -> None:
    frames = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    other = sys.argv[2] if len(sys.argv) > 2 else None
    for size in sys.argv[3:] or ["80x24"]:
        least: dict[str, tuple[float, float]] = {}
        for _ in range(3):
            for root in filter(None, (str(ROOT), other)):
                found = measured(root, frames, size)
                least[root] = min(least.get(root, found), found)
        half, most = least[str(ROOT)]
        print(f"{size}: {half:.1f} ms a frame, {most:.1f} at most in 19 of 20", end="")
        print(f"; ratio {half / least[other][0]:.2f}" if other else "")


if __name__ == "__main__":
    main()
