"""Sessions over a small made stream, and the monitor's screen as text."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import replace
from functools import cache

import numpy as np

from macro_engine.options.settings import Layer
from macro_engine.run.engine import Engine
from macro_engine.run.playing.pace import Destination
from macro_engine.run.playing.speed import Speed
from macro_engine.run.session import Session
from macro_engine.stream.live.beginning import FileOrigin, PipeOrigin
from macro_engine.stream.live.standard_input import Pipe
from macro_engine.stream.opening import open_stream
from macro_tui.app import Monitor, Options
from macro_tui.view.scene import Scene
from macro_tui.view.viewport import Viewport

STEPS = 600


def write_stream(path):
    """Three kinds of days in turn, in which the label follows another rule."""
    path.write_text(_stream())
    return path


@cache
def _stream():
    rng = np.random.default_rng(5)
    lines = ["when,a,b,label"]
    for step in range(STEPS):
        kind = step // 50 % 3
        for row in range(4):
            a, b = rng.random(2)
            share = (0.1, 0.5, 0.9)[kind]
            label = "late" if rng.random() < 0.7 * share + 0.3 * (a > b) else "punctual"
            minutes = 10 * step + 2 * row
            day, minute = divmod(minutes, 1440)
            when = f"2001-03-{day + 1:02}T{minute // 60:02}:{minute % 60:02}"
            lines.append(f"{when},{a:.3f},{b:.3f},{label}")
    return "\n".join(lines)


def session_over(path, speed=Speed(), prepare=lambda _engine: None, **options):  # noqa: B008
    def load(listener, unnamed):
        values = {"every": "10m", "thresholds": "0.05,0.2,0.6", "history": "3", "clock": "off"}
        values |= {"strategies": "ftl,ewa", **options}
        opened = open_stream([path], [Layer.read("the test", values, of_user=True)])
        engine = Engine(opened, listener=listener, run_file=unnamed, speed=speed)
        prepare(engine)
        return engine

    return Session(load)


def paused_session(path, row, **options):
    """A session that plays up to a row and waits there."""

    def prepare(engine):
        engine.pace.paused = True
        engine.pace.target = Destination(row=row)

    return session_over(path, prepare=prepare, **options)


def finished_session(path, rules=(), **options):
    """A session that has ended; a monitor that starts it finds it as it is.

    Its blocks have 1, 2, 4, ... steps however busy the machine is: where one begins, the nearest
    subroutines are listed.
    """

    def prepare(engine):
        engine.pipeline.block_seconds = 1e6

    return ended(session_over(path, prepare=prepare, **options), rules)


def ended(session, rules=()):
    """The session after its end, with the alarms that it rang."""
    session.set_alarms(rules)
    session.start()
    session.thread.join(600)
    assert not session.thread.is_alive()
    assert session.error is None
    session.start = lambda: None
    session.set_alarms = lambda _rules: None
    return session


def scene_of(session, strategy=None, moment=None):
    """What the screen would be drawn from, if a strategy gave the prediction."""
    history, snapshot = session.history, session.snapshot
    snapshot = replace(snapshot, strategy=strategy or snapshot.strategy)
    view = Viewport(moment=moment)
    return Scene(history, history.steps, snapshot, view, 100, [], lambda _member: None)


def live_session(source, run_file=None, **options):
    """A session over a growing CSV, or a pipe, that is opened as `tail` opens it."""

    def load(listener, unnamed):
        values = {"time": "when", "label": "label", "features": "a,b", "every": "10m"}
        values |= {"strategies": "ftl,ewa", **options}
        layers = [Layer.read("the test", values, of_user=True)]
        origin = PipeOrigin(source) if isinstance(source, Pipe) else FileOrigin(source)
        opened = open_stream(origin, layers, wait=session.wait, close_after="never")
        return Engine(opened, listener=listener, run_file=run_file or unnamed)

    session = Session(load, is_live=True)
    return session


async def until(condition, seconds=120.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.02)


def monitor_of(session, **options):
    return Monitor(lambda: session, Options("flights.csv", **options))


async def open_main(app, pilot):
    """Wait until the main screen shows the run."""
    await until(lambda: getattr(app.screen, "shown", None) is not None)
    await settle(app, pilot)


async def settle(app, pilot):
    """Let everything that is under way be drawn, and drawn again where panels got another size."""
    for _ in range(2):
        await pilot.pause()
        for screen in app.screen_stack:
            if hasattr(screen, "draw"):
                screen.draw()
            if hasattr(screen, "measure"):
                screen.measure()
    await pilot.pause()


def text_of(app):
    """The screen as text; what differs from run to run is made equal."""
    strips = app.screen._compositor.render_strips()
    text = "\n".join("".join(s.text for s in strip).rstrip() for strip in strips)
    status = r"^(\w[\w ]*?) ([\d,]+ rows/s| 100%).*$"
    return re.sub(status, r"\1 ... (status)", text, flags=re.M) + "\n"


class Opened:
    """A monitor whose main screen is open."""

    def __init__(self, session, size=(120, 30), **options):
        self.app = monitor_of(session, **options)
        self.context = self.app.run_test(size=size)

    async def __aenter__(self):
        self.pilot = await self.context.__aenter__()
        await open_main(self.app, self.pilot)
        self.main = self.app.screen
        return self

    async def __aexit__(self, *error):
        await self.context.__aexit__(*error)

    async def press(self, *keys):
        await self.pilot.press(*keys)
        await settle(self.app, self.pilot)

    @property
    def view(self):
        return self.main.view
