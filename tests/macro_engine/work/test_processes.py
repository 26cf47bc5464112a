"""Worker processes: what happens when one is lost, prints, or its parent ends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import made_work
import pytest

from macro_engine.work.processes import Processes
from macro_engine.work.tasks import Done, Failed, Task, run_tasks

pytestmark = pytest.mark.slow


def test_a_lost_worker_is_said_and_its_task_is_done_by_another(tmp_path):
    tasks = [
        Task.of(made_work.kill_first, {"note": str(tmp_path / "note")}, label="the killer"),
        *(Task.of(made_work.square, {"number": n}) for n in range(6)),
    ]
    told = []
    results = run_tasks(tasks, workers=2, on_progress=told.append)
    assert all(isinstance(one, Done) for one in results)
    assert [p.said for p in told if p.said] == [
        "the killer failed and is tried again: its worker process was ended by SIGKILL"
    ]


def test_a_task_that_kills_every_worker_fails_alone():
    tasks = [Task.of(made_work.kill_first, {}), Task.of(made_work.square, {"number": 3})]
    results = run_tasks(tasks, workers=2)
    assert isinstance(results[0], Failed)
    assert results[0].reason == "its worker process was ended by SIGKILL"
    assert results[1].value["square"] == 9


def test_workers_are_kept_and_may_print():
    results = run_tasks([Task.of(made_work.chatter, {"n": n}) for n in range(6)], workers=2)
    pids = {one.value["pid"] for one in results}
    assert len(pids) <= 2
    assert os.getpid() not in pids
    time.sleep(0.05)
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_tasks_that_wait_share_a_worker(tmp_path):
    processes = Processes(2)
    try:
        for number in range(6):
            settings = {"folder": str(tmp_path), "number": number, "others": 6}
            processes.submit(number, Task.of(made_work.meet, settings), beside=True)
        assert processes.room == 2
        ended = []
        while len(ended) < 6:
            ended += processes.wait(5.0)
        assert [one.value["met"] for one in ended] == [6] * 6
        assert len({one.value["pid"] for one in ended}) == 2
    finally:
        processes.close()


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGKILL])
def test_no_worker_outlives_whoever_started_it(signum, tmp_path):
    script = tmp_path / "long.py"
    script.write_text(
        "import sys, json; sys.path[:0] = json.loads(sys.argv[1])\n"
        "import made_work\n"
        "from macro_engine.work.processes import Processes\n"
        "from macro_engine.work import tasks\n"
        "class Told(Processes):\n"
        "    def submit(self, *args):\n"
        "        super().submit(*args)\n"
        "        print(self.workers[-1].process.pid, flush=True)\n"
        "import macro_engine.work.processes as p; p.Processes = Told\n"
        "tasks.run_tasks([tasks.Task.of(made_work.square, {'number': n, 'seconds': 60}) for n in (1, 2)], workers=2)\n"
    )
    process = subprocess.Popen(
        [sys.executable, str(script), json.dumps(sys.path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    pids = [int(process.stdout.readline()) for _ in range(2)]
    assert all(_is_alive(pid) for pid in pids)
    time.sleep(0.5)
    process.send_signal(signum)
    process.wait(60)
    process.stdout.close()
    until = time.monotonic() + 60
    while any(_is_alive(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.05)
    assert not any(_is_alive(pid) for pid in pids)


def _is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return (
        not Path(f"/proc/{pid}/stat").exists() or " Z " not in Path(f"/proc/{pid}/stat").read_text()
    )
