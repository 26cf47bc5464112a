"""When an app under test is idle.

Textual's pilot sleeps 20 ms at a time until the whole process takes next to no CPU: an engine that
runs beside the app keeps it waiting for a second at every key. Here an app is idle when its loop has
nothing to run, and nothing due within those 20 ms.
"""

import asyncio
from itertools import count

from textual import app, pilot

SOON = 0.02
TURNS = 1000  # a loop that always has something to run is not waited for


async def loop_is_idle(min_sleep=0, max_sleep=0):  # noqa: ARG001
    loop = asyncio.get_running_loop()
    ends = loop.time() + SOON
    for turn in count():
        await asyncio.sleep(0)
        if turn > TURNS:
            return
        if not loop._ready:
            due = min((t.when() for t in loop._scheduled if not t.cancelled()), default=ends)
            if due >= ends:
                return
            await asyncio.sleep(max(due - loop.time(), 0))


def wait_for_the_loop_only(patch):
    patch.setattr(app, "wait_for_idle", loop_is_idle)
    patch.setattr(pilot, "wait_for_idle", loop_is_idle)
