"""`macro-tui tail kafka://...` as a user types it, against librdkafka's mock cluster."""

import json
import re
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta

import pytest
from busy import within
from extras import needs_kafka

from macro_engine.run.store.runfile import RunReader

pytestmark = [*needs_kafka, pytest.mark.slow]

START = datetime(2024, 1, 1)
OPTIONS = (
    "--time=when", "--label=late", "--features=a", "--categorical=place", "--classes=no,yes",
    "--strategies=ftl",
)  # fmt: skip


def row(i):
    when = (START + timedelta(minutes=i)).isoformat()
    return {"when": when, "a": i * 7 % 13, "place": "xyz"[i % 3], "late": "no" if i % 4 else "yes"}


@pytest.fixture(scope="module")
def cluster():
    from mock_kafka import MockKafka

    made = MockKafka()
    yield made
    made.close()


class Command:
    """The program, while it runs."""

    def __init__(self, folder, *arguments):
        self.log = folder / "log"
        command = [sys.executable, "-m", "macro_tui", "tail", *map(str, arguments), "--headless"]
        with self.log.open("wb") as log:
            self.running = subprocess.Popen(command, cwd=folder, stderr=log)

    def until(self, is_done, seconds=60):
        end = time.monotonic() + seconds
        while not is_done():
            assert time.monotonic() < end, self.log.read_text()
            assert self.running.poll() is None, self.log.read_text()
            time.sleep(0.05)

    def end(self, signal_):
        began = time.monotonic()
        self.running.send_signal(signal_)
        self.running.wait()
        return time.monotonic() - began


def lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_a_killed_tail_goes_on_with_every_message_once(cluster, tmp_path):
    cluster.make("killed")
    cluster.send("killed", map(row, range(200)))
    emitted, run_file = tmp_path / "e.jsonl", tmp_path / "a.run"
    stream = f"kafka://{cluster.address}/killed"
    command = (stream, *OPTIONS, "--run", run_file, "--emit", emitted)
    first = Command(tmp_path, *command)
    first.until(lambda: lines(emitted) >= 200)
    cluster.send("killed", map(row, range(200, 300)))
    first.end(signal.SIGKILL)
    second = Command(tmp_path, *command)
    cluster.send("killed", map(row, range(300, 350)))
    second.until(lambda: lines(emitted) >= 350)
    assert second.end(signal.SIGINT) < within(1.5)
    assert second.running.returncode == 130
    times = [json.loads(line)["time"] for line in emitted.read_text().splitlines()]
    assert times == [row(i)["when"] for i in range(350)]
    reader = RunReader(run_file)
    assert reader.state()["source"]["position"]["partitions"] == [{"partition": 0, "offset": 350}]
    reader.close()


def test_nobody_answers_at_the_start_and_nothing_of_librdkafka_is_printed(tmp_path):
    command = Command(tmp_path, "kafka://127.0.0.1:1/flights")
    command.until(lambda: b"waiting" in command.log.read_bytes())
    time.sleep(1.5)
    assert command.end(signal.SIGINT) < within(1.5)
    said = command.log.read_text()
    assert re.match(r"kafka://127.0.0.1:1/flights: no broker answers at 127.0.0.1:1", said)
    assert "rdkafka" not in said
    assert len(said.splitlines()) <= 3
