"""`--metrics ADDRESS`: serves the metrics of a run to Prometheus."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from importlib.util import find_spec
from time import time
from typing import TYPE_CHECKING, Any

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.extras import how_to_install

if TYPE_CHECKING:
    from macro_engine.run.engine import Engine


def read_address(text: str) -> tuple[str, int]:
    """Host and port; only this machine may read the page.

    >>> read_address("127.0.0.1:9464")
    ('127.0.0.1', 9464)
    """
    host, _, port = text.rpartition(":")
    host = "127.0.0.1" if host in ("", "localhost") else host.strip("[]")
    try:
        is_loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    if not is_loopback:
        raise UsageError(
            f"--metrics '{visible(text)}': only addresses of this machine are served, such as "
            "127.0.0.1:9464; another machine reads it through ssh -L"
        )
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
        raise UsageError(f"--metrics '{visible(text)}': write a port behind it: 127.0.0.1:9464")
    return host, int(port)


def need_prometheus() -> None:
    """Raises `UsageError` if the package that writes the page is missing."""
    if find_spec("prometheus_client") is None:
        raise UsageError(
            f"--metrics needs prometheus-client; install it with: {how_to_install('metrics')}"
        )


def serve(engine: Engine, host: str, port: int) -> None:
    """Serves the numbers of a run, in threads of its own, until the process ends."""
    from prometheus_client import CollectorRegistry, start_http_server

    registry = CollectorRegistry()
    registry.register(_Numbers(engine))
    try:
        start_http_server(port, host, registry)
    except OSError as error:
        raise MacroError(f"--metrics {host}:{port} cannot be served: {error.strerror}") from None


class _Numbers:
    """The metrics of a run, read at each request."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        snapshot, engine = self.engine.snapshot, self.engine
        counts = {
            "rows": (snapshot.rows, "Rows of closed steps."),
            "steps": (snapshot.steps, "Closed steps."),
            "rejected_rows": (snapshot.rejected, "Rows that were rejected."),
            "late_rows": (snapshot.late, "Rows that came late."),
            "births": (sum(snapshot.subroutines), "Subroutines born, over all members."),
            "alarms": (engine.alarms.rung, "Alarms that were raised."),
        }
        for name, (value, what) in counts.items():
            yield CounterMetricFamily(f"macro_tui_{name}", what, value)
        yield GaugeMetricFamily(
            "macro_tui_alarms_calling",
            "Alarms not acknowledged yet.",
            len(engine.alarms.calling),
        )
        error = GaugeMetricFamily(
            "macro_tui_error", "Share of rows that a series got wrong.", labels=["series"]
        )
        lead = GaugeMetricFamily(
            "macro_tui_lead", "Error of the baseline less that of a series.", labels=["series"]
        )
        for series, share in snapshot.errors.items():
            error.add_metric([series], share)
            lead.add_metric([series], snapshot.errors["marginal"] - share)
        yield from (error, lead)
        subroutines = GaugeMetricFamily(
            "macro_tui_subroutines", "Subroutines of a member.", labels=["member"]
        )
        names = engine.pipeline.names.member_names
        for member, number in zip(names, snapshot.subroutines, strict=False):
            subroutines.add_metric([member], number)
        yield subroutines
        yield from self._clocks()

    def _clocks(self) -> Iterator[Any]:
        from prometheus_client.core import GaugeMetricFamily

        snapshot, recorder, now = self.engine.snapshot, self.engine.recorder, time()
        if snapshot.came is not None and snapshot.time is not None:
            lag = now - snapshot.time / 1e6
            yield GaugeMetricFamily(
                "macro_tui_lag_seconds", "How far the newest row lies behind the clock.", lag
            )
        if snapshot.behind is not None:
            yield GaugeMetricFamily(
                "macro_tui_messages_behind", "Messages that wait to be read.", snapshot.behind
            )
        if recorder is not None and recorder.committed is not None:
            age = now - recorder.committed
            yield GaugeMetricFamily(
                "macro_tui_last_commit_age_seconds", "Since the run file was last written.", age
            )
