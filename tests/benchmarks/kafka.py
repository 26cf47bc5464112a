"""Topics of Kafka: is every message read once whatever is killed, and how many a second?

python tests/benchmarks/kafka.py kills [N]       killed while messages come to three partitions
python tests/benchmarks/kafka.py pace [ROWS]     rows a second through source and reader, CPU time
python tests/benchmarks/kafka.py latency [SECONDS]  at 100 rows/s: from message to snapshot

The cluster is librdkafka's mock cluster, in this process.
"""

import asyncio
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from mock_kafka import MockKafka

from macro_engine.options.settings import Layer
from macro_engine.run.engine import Engine, Listener
from macro_engine.stream.opening import open_stream
from macro_engine.stream.source import origin_of
from macro_engine.stream.table import Rejections

START = datetime(2024, 1, 1)
PARTITIONS = 3
OPTIONS = {
    "time": "when",
    "label": "late",
    "features": "a,b",
    "categorical": "place",
    "classes": "no,yes",
    "strategies": "ftl",
}
KILLED = """
import sys
import macro_engine.run.store.recorder as recorder
recorder.COMMIT_SECONDS, recorder._REST = 0.02, 0
from macro_tui.cli import main
sys.exit(main(sys.argv[1:]))
"""


def row(i: int) -> dict[str, object]:
    rng = random.Random(i)
    when = (START + timedelta(seconds=i)).isoformat()
    late = "yes" if rng.random() < 0.3 + 0.4 * (i // 500 % 2) else "no"
    return {"when": when, "a": rng.random(), "b": i % 7, "place": "xyz"[i % 3], "late": late}


def kills(count: float) -> bool:
    """Tail a topic, kill it at random moments, and look for every message in the end."""
    cluster, rng = MockKafka(), random.Random(1)
    cluster.make("killed", PARTITIONS)
    sent, is_over = [0], threading.Event()

    def send() -> None:
        while not is_over.is_set():
            n = rng.randrange(1, 30)
            for i in range(sent[0], sent[0] + n):
                cluster.send("killed", [row(i)], partition=random.Random(-i).randrange(PARTITIONS))
            sent[0] += n
            time.sleep(0.02)

    sender = threading.Thread(target=send)
    sender.start()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        options = [f"--{option}={value}" for option, value in OPTIONS.items()]
        command = [
            sys.executable, "-c", KILLED, "tail", f"kafka://{cluster.address}/killed", *options,
            "--run", str(folder / "a.run"), "--emit", str(folder / "emitted.jsonl"), "--headless",
        ]  # fmt: skip

        def begun() -> subprocess.Popen[bytes]:
            return subprocess.Popen(command, stderr=subprocess.DEVNULL)

        for _ in range(int(count)):
            running = begun()
            before = _size(folder)
            while running.poll() is None and _size(folder) == before:
                time.sleep(0.01)  # a kill before anything was read tells little
            time.sleep(rng.random() * 0.5)
            running.kill()
            assert running.wait() == -signal.SIGKILL
        is_over.set()
        sender.join()
        running = begun()
        while _lines(folder) < sent[0] and running.poll() is None:
            time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        assert running.wait() == 130
        export = ["export", str(folder / "a.run"), "--to", str(folder), "--format", "csv"]
        subprocess.run(
            [sys.executable, "-m", "macro_tui", *export], check=True, capture_output=True
        )
        with (folder / "predictions.csv").open() as file:
            times = [line["time"] for line in csv.DictReader(file)]
        emitted = [json.loads(line)["time"] for line in (folder / "emitted.jsonl").open()]
    cluster.close()
    wanted = sorted(str(row(i)["when"]) for i in range(sent[0]))
    same = sorted(times) == wanted and emitted == times
    late = sum(a > b for a, b in pairwise(times))
    print(
        f"kills: {count:.0f} while {sent[0]:,} messages came to {PARTITIONS} partitions; "
        f"{'every message once' if same else 'MESSAGES LOST OR TWICE'}, {late} out of order"
    )
    return same


def _size(folder: Path) -> int:
    emitted = folder / "emitted.jsonl"
    return emitted.stat().st_size if emitted.exists() else 0


def _lines(folder: Path) -> int:
    emitted = folder / "emitted.jsonl"
    return emitted.read_bytes().count(b"\n") if emitted.exists() else 0


def _filled(rows: int, partitions: int, as_csv: bool) -> MockKafka:
    cluster = MockKafka()
    cluster.make("pace", partitions)
    for p in range(partitions):
        of_it = (row(i) for i in range(p, rows, partitions))
        if as_csv:
            lines = (",".join(map(str, one.values())).encode() for one in of_it)
            cluster.send("pace", lines, partition=p)
        else:
            cluster.send("pace", of_it, partition=p)
    return cluster


def _opened(cluster: MockKafka, **more: str) -> object:
    layer = Layer.read("benchmark", OPTIONS | more, of_user=True)
    return open_stream(origin_of(f"kafka://{cluster.address}/pace"), [layer])


def pace(rows: float) -> bool:
    """The mock cluster keeps 5 MB a partition, and takes a part of the CPU time of this process."""
    for kind in ("json", "csv"):
        for partitions in (1, 3):
            cluster = _filled(int(rows), partitions, kind == "csv")
            columns = {} if kind == "json" else {"columns": "when,a,b,place,late"}
            reader = _opened(cluster, **columns).reader(Rejections())
            reader.source.start()
            time.sleep(2.0)  # what librdkafka fetches ahead is there
            begun, cpu, count = time.monotonic(), time.thread_time(), 0
            while count < rows and time.monotonic() < begun + 60:
                for block in reader.poll():
                    count += len(block.rows)
                time.sleep(0.001)
            cpu = time.thread_time() - cpu
            reader.close()
            cluster.close()
            print(
                f"pace: {kind}, {partitions} partition{'s' * (partitions > 1)}: {count:,} rows, "
                f"{count / cpu:,.0f} rows a second of CPU time of the reading thread"
            )
            if count < rows:
                return False
    return True


def latency(seconds: float) -> bool:
    cluster = _filled(1, 1, False)
    sent: list[float] = []
    seen: list[float] = []
    ready = threading.Event()

    def progress() -> None:
        ready.set()
        known = engine.snapshot.rows + engine.snapshot.open_rows - 1
        seen.extend([time.monotonic()] * (known - len(seen)))
        if len(seen) >= seconds * 100:
            engine.stop()

    engine = Engine(_opened(cluster), listener=Listener(progress=progress))

    def send() -> None:
        ready.wait()
        begun = time.monotonic()
        for i in range(int(seconds * 100)):
            time.sleep(max(0.0, begun + i / 100 - time.monotonic()))
            sent.append(time.monotonic())
            cluster.producer.produce("pace", json.dumps(row(i + 1)), partition=0)
            cluster.producer.poll(0)

    sender = threading.Thread(target=send)
    sender.start()
    asyncio.run(engine.run())
    sender.join()
    cluster.close()
    waits = 1000 * (np.array(seen[: len(sent)]) - np.array(sent))
    high = float(np.percentile(waits, 95))
    print(
        f"latency: {len(waits):,} rows at 100 rows/s; middle {np.median(waits):.0f} ms, 95th "
        f"percentile {high:.0f} ms, longest {waits.max():.0f} ms"
    )
    return high < 250.0


DEFAULTS = {kills: 100, pace: 30_000, latency: 20}


def main() -> None:
    chosen = {part.__name__: part for part in DEFAULTS}
    parts = [chosen[sys.argv[1]]] if sys.argv[1:] else list(DEFAULTS)
    failed = False
    for part in parts:
        failed |= not part(float(sys.argv[2]) if sys.argv[2:] else DEFAULTS[part])
    sys.exit(failed)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONWARNINGS", "ignore")
    main()
