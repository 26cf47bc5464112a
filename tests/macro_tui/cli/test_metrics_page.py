"""The numbers of a run, as another program reads them."""

import socket
import urllib.request

import pytest
from extras import needs_prometheus
from made_sessions import session_over, until, write_stream

from macro_engine.run import prometheus
from macro_engine.run.playing.pace import Destination
from macro_tui.cli import main

pytestmark = needs_prometheus


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "flights.csv")


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def scraped(port):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as page:
        lines = page.read().decode().splitlines()
    return dict(line.rsplit(" ", 1) for line in lines if not line.startswith("#"))


@pytest.mark.slow
async def test_a_scrape_finds_the_numbers_of_the_run(stream):
    port = free_port()

    def prepare(engine):
        engine.pace.paused, engine.pace.target = True, Destination(row=1200)
        prometheus.serve(engine, "127.0.0.1", port)

    session = session_over(stream, prepare=prepare)
    session.start()
    await until(lambda: session.snapshot.rows == 1200 and session.controls.target is None)
    session.engine.checkpoint.store("running")  # nothing is committed while it is held
    await until(lambda: session.engine.recorder.committed)
    found = scraped(port)
    assert found["macro_tui_rows_total"] == "1200.0"
    assert found["macro_tui_steps_total"] == "300.0"
    errors = session.snapshot.errors
    assert float(found['macro_tui_error{series="ftl"}']) == errors["ftl"]
    assert float(found['macro_tui_lead{series="ftl"}']) == errors["marginal"] - errors["ftl"]
    assert (
        int(float(found['macro_tui_subroutines{member="0.20"}'])) == session.snapshot.subroutines[1]
    )
    assert 0 <= float(found["macro_tui_last_commit_age_seconds"]) < 60
    assert found["macro_tui_alarms_calling"] == "0.0"
    assert session.stop(60)
    session.close()


@pytest.mark.parametrize(
    "address", ["0.0.0.0:9464", "example.org:9464", "127.0.0.1", "127.0.0.1:x"]
)
def test_only_this_machine_is_served(stream, capsys, address):
    assert main(["replay", str(stream), "--headless", "--metrics", address]) == 2
    assert "--metrics" in capsys.readouterr().err


def test_a_port_that_is_taken_is_said(stream, capsys):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert main(["replay", str(stream), "--headless", "--metrics", address]) == 1
    assert "cannot be served" in capsys.readouterr().err


def test_the_page_is_served_beside_a_run_from_the_command_line(stream):
    port = free_port()
    assert main(["replay", str(stream), "--headless", "--metrics", f"127.0.0.1:{port}"]) == 0
    assert float(scraped(port)["macro_tui_rows_total"]) == 2400
