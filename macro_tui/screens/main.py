"""The main screen: reads the view of the run and draws what changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container

from macro_engine.core.errors import DroppedError, MacroError
from macro_engine.run.playing.destination import target_text
from macro_engine.run.view import METRICS, RunView, Snapshot
from macro_tui.app import Options
from macro_tui.driver import terminal_is_gone
from macro_tui.panels.decision import DecisionPanel
from macro_tui.panels.errors import ErrorsPanel
from macro_tui.panels.events import EventsPanel
from macro_tui.panels.panel import Panel
from macro_tui.panels.pending import PendingPanel
from macro_tui.panels.rejected import RejectedPanel
from macro_tui.panels.subroutines import SubroutinesPanel
from macro_tui.panels.timeline import TimelinePanel
from macro_tui.panels.weights import WeightsPanel
from macro_tui.screens.alarms import AlarmActions
from macro_tui.screens.playback import PlaybackActions
from macro_tui.screens.program import ProgramActions
from macro_tui.screens.saving import SavingActions
from macro_tui.screens.selection import PanelActions
from macro_tui.view import status_lines
from macro_tui.view.curves import plot_columns
from macro_tui.view.keys import KEYS
from macro_tui.view.layout import is_small, panel_boxes
from macro_tui.view.meter import Meter, Traffic
from macro_tui.view.page import expected_length
from macro_tui.view.raster import ACROSS
from macro_tui.view.rows import Row, row_width
from macro_tui.view.scene import Scene
from macro_tui.view.tour import Tour, TourState
from macro_tui.view.verdict import verdict
from macro_tui.widgets.drawing import Drawing
from macro_tui.widgets.paragraph import Paragraph

_STATUS_SECONDS = 1.0
_MEMBERS = 8  # of the grid, before they are known
_VERDICT = 45  # cells that an alarm leaves to the verdict
_REST = 15  # times as long as a frame took nothing is drawn, so that the engine is not held up


class MainScreen(PlaybackActions, PanelActions, SavingActions, ProgramActions, AlarmActions):
    """The panels and the lines around them."""

    CSS_PATH = "main.tcss"
    AUTO_FOCUS = "#errors"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(",".join(key.keys), key.action, key.help, show=False)
        for key in KEYS
        if not key.action.startswith("app.")
    ]

    def __init__(self, session: RunView, options: Options) -> None:
        super().__init__(session, options)
        self.meter = Meter()
        self.traffic = Traffic()
        self.rest_until = 0.0
        self.drawn: object = None  # what the last frame was drawn from
        self.drawn_panels: object = None  # the part of it that the panels show
        self.drawn_before: object = None  # `drawn` when the status line was drawn
        kinds = (
            ErrorsPanel,
            DecisionPanel,
            TimelinePanel,
            WeightsPanel,
            EventsPanel,
            SubroutinesPanel,
            PendingPanel,
            RejectedPanel,
        )
        self.panels: dict[str, Panel] = {kind.key: kind(self.glyphs) for kind in kinds}
        names = ("header", "verdict", "before", "status", "footer")
        self.text_lines = {name: Paragraph(self.glyphs, id=name) for name in names}
        self.placed_for: object = None  # see `_places`
        self.length: int | None = None  # steps of the whole run, as far as they are known
        self.has_key_come = False  # since the screen was opened
        self.was_in_trouble = False  # at the last frame
        self.tour = None if options.tour_of is None else Tour(options.tour_of)

    def compose(self) -> ComposeResult:
        yield self._line("header")
        yield self._line("verdict")
        yield Container(*self.panels.values(), self._line("before"), id="panels")
        yield self._line("status")
        yield self._line("footer")

    def on_mount(self) -> None:
        self.set_interval(self.options.period, self.tick)
        self.set_interval(_STATUS_SECONDS, self.measure)
        self.put_panels()

    def on_key(self) -> None:
        if not self.has_key_come:
            self.has_key_come = True
            self._forget_what_was_drawn()

    def on_resize(self) -> None:
        self.put_panels()

    @on(Drawing.Resized)
    def _picture_resized(self) -> None:
        self._forget_what_was_drawn()
        self.call_after_refresh(self.tick)

    def tick(self) -> None:
        """Draw, if anything is different from the last frame and the terminal keeps up."""
        if self.session.error is not None and self.shown is None:
            self.app.fail(self.session.error)
            return
        if self._places() != self.placed_for:  # many changes of size at once may come as one event
            self.put_panels()
        if terminal_is_gone():
            self.app.interrupt()
        if getattr(self.app._driver, "is_behind", False):
            return
        if monotonic() < self.rest_until:
            return
        started = monotonic()
        with self._run_file_read():
            self.watch_alarms()
            self._ring_for_trouble()
            if self._state() != self.drawn:
                self.event_log.refresh(self.session)
                self._draw(panels=self._state_of_panels() != self.drawn_panels)
                self.rest_until = monotonic() + _REST * (monotonic() - started)

    def draw(self) -> None:
        """Draw everything now."""
        with self._run_file_read():
            self.watch_alarms()
            self.event_log.refresh(self.session)
            self._draw(panels=True)

    @contextmanager
    def _run_file_read(self) -> Iterator[None]:
        try:
            yield
        except DroppedError:
            pass  # just now, by --keep; what is drawn next begins after them
        except MacroError as error:  # the run file, in which the past is, cannot be read
            self.app.fail(error)

    def _ring_for_trouble(self) -> None:
        """Rings the bell when the run file cannot be written any more, and when the run fails."""
        in_trouble = bool(self.session.snapshot.trouble) or self.session.error is not None
        if in_trouble and not self.was_in_trouble:
            self.app.bell()
        self.was_in_trouble = in_trouble

    def _state(self) -> object:
        """What a frame depends on."""
        alarms, is_running = self.session.alarms, self.session.is_running
        calls, error = (len(alarms.calling), len(alarms.holding)), self.session.error
        return self.session.snapshot, self.steps, self.view, self.size, calls, is_running, error

    def _state_of_panels(self) -> object:
        """The part of it that panels show: a clock that ticks is none of it."""
        snapshot = self.snapshot_in_view
        is_feed = snapshot.came is not None and not snapshot.has_ended
        feed = (snapshot.open_rows, snapshot.open_errors, snapshot.said) if is_feed else None
        has_ended, pending = snapshot.has_ended, (snapshot.pending_rows, snapshot.pending_likely)
        seen = self.event_log.seen, snapshot.rejected, pending
        return self.steps, self.view, self.size, feed, seen, has_ended

    def _draw(self, panels: bool) -> None:
        self.drawn = self._state()
        if panels or self.shown is None:
            self.drawn_panels = self._state_of_panels()
            self.shown = self.scene()
        snapshot, scene, width = self.session.snapshot, self.shown, self.size.width
        with self.app.batch_update():
            self.draw_footer()
            going = self._going()
            headline = "" if self.has_key_come else self.session.headline
            name, readonly = self.options.name, self.options.readonly
            row = status_lines.header(
                name, snapshot, scene, going, self.glyphs, width, headline, readonly
            )
            self._line("header").draw([row])
            self._line("before").display = scene is None
            if scene is None:
                self._line("verdict").draw([self._alarms(width)])
                self._line("before").draw(status_lines.before(snapshot, width))
                return
            alarms = self._alarms(width - _VERDICT)
            row = verdict(scene, width - row_width(alarms))
            if self.failed:
                alarms, row = [], status_lines.failure(self.failed, width)
            self._line("verdict").draw([[*alarms, *row]])
            for panel in self.panels.values():
                if panels and panel.display:
                    panel.draw(scene)

    def _alarms(self, width: int) -> Row:
        alarms = self.session.alarms
        return status_lines.alarms(alarms.calling, alarms.holding, width)

    def scene(self) -> Scene | None:
        history = self.session.history
        if history is None or not history.steps:
            return None
        chosen, ranked = self.event_log.folded, self.event_log.ranked
        frozen = self.view.frozen
        if frozen is not None:
            chosen = [pair for pair in chosen if pair[0] <= frozen.last_event]
            ranked = [pair for pair in ranked if pair[0] <= frozen.last_event]
        steps = history.steps if frozen is None else frozen.steps
        self.length = expected_length(self.snapshot_in_view, steps, self.length)
        settings = self.session.settings
        return Scene(
            history,
            steps,
            self.snapshot_in_view,
            self.view,
            self.dots,
            chosen,
            self.session.updates if frozen is None else lambda _threshold: None,
            self.length,
            METRICS.get(self.view.metric or settings.get("metric", ""), METRICS["error"]),
            settings.get("class"),
            ranked,
            self.session.rejected() if self.panels["rejected"].display else (),
        )

    @property
    def snapshot_in_view(self) -> Snapshot:
        frozen = self.view.frozen
        return self.session.snapshot if frozen is None else frozen.snapshot

    def _going(self) -> str:
        controls = self.session.controls
        target = None if controls is None else controls.target
        return "" if target is None else target_text(target)

    def measure(self) -> None:
        """Draws the status line, once a second; its rates go to 0 where nothing changes."""
        snapshot, driver = self.session.snapshot, self.app._driver
        frames, sent = getattr(driver, "frames", 0), getattr(driver, "sent", 0)
        traffic = self.meter.measure(snapshot.done, frames, sent)
        is_at_rest = self.drawn is not None and self.drawn == self.drawn_before
        self.traffic = Traffic(memory=self.traffic.memory) if is_at_rest else traffic
        self.drawn_before = self.drawn
        self._line("status").draw([status_lines.status(snapshot, self.traffic, self.size.width)])

        self._go_on_with_the_tour()

    def _go_on_with_the_tour(self) -> None:
        if self.tour is not None:
            kinds = frozenset(event.kind for _, event in self.event_log.events)
            run, since = self.session, self.tour.since
            sight = TourState(self.shown, run.snapshot, run.alarms, kinds, since)
            if self.tour.look(sight, monotonic()):
                self.draw_footer()

    @property
    def _has_keys(self) -> bool:
        return bool(self.session.settings.get("key"))

    def _places(self) -> object:
        """By what the panels have their places."""
        return self.size, self._has_keys, self._members

    @property
    def _members(self) -> int:
        history = self.session.history
        return _MEMBERS if history is None else len(history.members)

    def put_panels(self) -> None:
        """Put the panels in their places."""
        self.placed_for = self._places()
        width, height = self.size
        lines = ["header", "verdict", "footer", "status"][: 4 if height >= 12 else 3]
        self._line("status").display = "status" in lines
        room = max(height - len(lines), 0)
        members = self._members
        shown = panel_boxes(width, room, self.view.expanded, self._has_keys, members)
        chart = shown.get("errors") or panel_boxes(width, room, members=members)["errors"]
        self.dots = ACROSS * max(plot_columns(chart.width), 1)
        for name, panel in self.panels.items():
            panel.display = name in shown
            if name in shown:
                place = shown[name]
                panel.styles.offset = place.x, place.y
                panel.styles.width, panel.styles.height = place.width, place.height
        self.draw_footer()
        self._forget_what_was_drawn()

    def _forget_what_was_drawn(self) -> None:
        """Forces the next frame, because the room has changed."""
        self.drawn = self.drawn_panels = None
        self.rest_until = 0.0

    def draw_footer(self) -> None:
        width, height = self.size
        small = is_small(width, height - 4)
        is_frozen = self.view.frozen is not None
        has_ended = self.session.snapshot.has_ended and not is_frozen
        is_held = is_frozen or self.session.snapshot.state == "paused"
        row = status_lines.footer(width, small, self.notice, self.keys, has_ended, is_held)
        if self.tour is not None and self.tour.text and not self.notice:
            row = self.tour.row()
        self._line("footer").draw([row])

    def _line(self, name: str) -> Paragraph:
        return self.text_lines[name]
