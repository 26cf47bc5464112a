"""A run waits for no compiler: kernels are compiled beside it, and it goes over to them."""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from types import SimpleNamespace

import pytest
from made_runs import assert_same_files, engine, outputs, run, run_until, state_of, write_stream
from made_strategy import newest, toy  # noqa: F401 (fixtures)

from macro_engine.algorithm.needed_kernels import NeededKernels
from macro_engine.core import cache_notes
from macro_engine.run import pipeline, stored_snapshot
from macro_engine.run.compiling import compiler_process, warming
from macro_engine.run.compiling.warming import Warming, must_warm_up
from macro_engine.run.engine import Listener
from macro_engine.run.snapshot import COMPILING, Snapshot

NEEDED = NeededKernels("labels", "logistic", ("ftl", "ewa"), False, False, False)


@pytest.fixture
def cold(tmp_path, monkeypatch):
    """An empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(warming.WAIT)
    return tmp_path / "cache"


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv", rows=240)


class Kernels:
    """Kernels that are ready once a run has so many steps."""

    failure = ""
    words = "warming up, 3 s left"

    def __init__(self, pipeline, steps):
        self.pipeline, self.steps = pipeline, steps

    @property
    def is_ready(self):
        return self.pipeline.steps >= self.steps

    def stop(self):
        pass


@pytest.fixture
def ready_after(monkeypatch):
    """Has runs begin on plain kernels, and go over once they have so many steps; None: at once."""
    monkeypatch.setattr(pipeline, "_BLOCK_SECONDS", 0.0)  # a step a block

    def ready(steps):
        def warm_up(self):
            self.warming = None if steps is None else Kernels(self, steps)

        monkeypatch.setattr(pipeline.Pipeline, "warm_up", warm_up)

    return ready


@pytest.mark.parametrize("distance", ["labels", "features", "frames"])
@pytest.mark.parametrize("subroutine", ["logistic", "nearest-mean"])
def test_wherever_it_goes_over_its_files_are_those_of_a_compiled_run(
    stream, tmp_path, ready_after, distance, subroutine
):
    options = {"distance": distance, "subroutine": subroutine, "history": "2"}
    compiled, mixed = outputs(tmp_path, "compiled"), outputs(tmp_path, "mixed")
    ready_after(None)
    run(engine(stream, tmp_path / "compiled.run", **compiled, **options))
    ready_after(random.randrange(1, 20))
    done = run(engine(stream, tmp_path / "mixed.run", **mixed, **options))
    assert done.summary()["path"] == "plain, then compiled"
    assert_same_files(compiled, mixed)
    assert state_of(tmp_path / "compiled.run") == state_of(tmp_path / "mixed.run")


@pytest.mark.parametrize("options", [{}, {"strategies": "ftl,blend"}], ids=["ftl", "blend"])
def test_a_run_is_resumed_on_the_other_path(stream, tmp_path, ready_after, options):
    compiled, resumed = outputs(tmp_path, "compiled"), outputs(tmp_path, "resumed")
    path = tmp_path / "parts.run"
    ready_after(None)
    run(engine(stream, tmp_path / "compiled.run", **compiled, **options))
    assert run_until(engine(stream, path, **options), 6).was_stopped
    ready_after(12)  # goes over on its way
    assert run_until(engine(stream, path, **options), 18).was_stopped
    ready_after(None)
    last = run(engine(stream, path, **resumed, **options))
    assert_same_files(compiled, resumed)
    assert state_of(tmp_path / "compiled.run") == state_of(path)
    assert last.summary()["path"] == "compiled, then plain, then compiled"


def test_it_tells_how_long_until_it_goes_over(stream, ready_after):
    ready_after(5)
    seen = []
    made = engine(stream, listener=Listener(lambda: seen.append(made.snapshot.warming)))
    run(made)
    assert seen[0] == "warming up, 3 s left"
    assert seen[-1] == made.snapshot.warming == ""


@pytest.mark.usefixtures("cold")
def test_seconds_are_counted_down_and_never_below_zero(monkeypatch):
    monkeypatch.setattr(Warming, "_warm_up", lambda _self: None)
    now = time.monotonic()
    monkeypatch.setattr(warming, "monotonic", lambda: now)
    cache_notes.keep_compiler_pace(cache_notes.cache_folder(), 2.0)
    one = Warming(NEEDED)
    said = []
    for _ in range(40):
        said.append(one.words)
        now += 0.5
    expected = 2 * NEEDED.seconds
    assert said[0] == f"warming up, {expected:.0f} s left"
    assert said[2] == f"warming up, {expected - 1:.0f} s left"
    assert said[-1] == "warming up"
    assert not any("-" in words or " 0 s" in words for words in said)


@pytest.mark.slow
@pytest.mark.usefixtures("cold")
def test_a_compiler_that_fails_is_one_remark(stream, monkeypatch):
    monkeypatch.setattr(compiler_process, "_PROGRAM", "raise SystemExit('no more memory')")
    said = []
    made = engine(stream, listener=Listener(remark=said.append))
    started = Warming.__init__

    def wait(self, needed):
        started(self, needed)
        while not self.failure:
            time.sleep(0.01)

    monkeypatch.setattr(Warming, "__init__", wait)
    run(made)
    failures = [line for line in said if "could not be compiled" in line]
    assert failures == [
        "the fast path could not be compiled (no more memory): continuing without it"
    ]
    assert made.summary()["path"] == "plain"


def test_without_a_cache_folder_a_thread_compiles(cold, monkeypatch):
    cold.write_text("in the way")
    loaded = threading.Event()
    monkeypatch.setattr(NeededKernels, "load", lambda _self: loaded.set())
    one = Warming(NEEDED)
    assert loaded.wait(60)
    assert one.process is None
    assert "every run compiles it" in one.announcement


@pytest.mark.usefixtures("cold")
def test_a_run_that_waits_for_the_compiler_is_said_to_compile(stream, monkeypatch):
    monkeypatch.setenv(warming.WAIT, "wait")
    made = engine(stream)
    made.progress.publish("running", "begins")
    assert made.snapshot.warming == COMPILING
    monkeypatch.setattr(stored_snapshot, "writer_of", lambda _path: 1)
    monkeypatch.setattr(stored_snapshot, "alive_at", lambda _path: 0.0)
    for told, doing in ((made.snapshot, "compiling"), (Snapshot("running"), "not written")):
        info = {
            "snapshot": json.loads(json.dumps(asdict(told))),
            "status": "running",
            "committed": time.time() - 30,
        }
        found = stored_snapshot.snapshot_of(SimpleNamespace(info=info, path=stream, strategy=""))
        assert found.words == f"{doing} for 30 s"


@pytest.mark.usefixtures("cold")
def test_kernels_in_the_cache_are_not_compiled_again():
    assert must_warm_up(NEEDED)
    cache_notes.mark_as_warm(cache_notes.cache_folder(), NEEDED.name)
    assert not must_warm_up(NEEDED)


@pytest.mark.usefixtures("toy", "newest")
@pytest.mark.parametrize(
    ("strategies", "tried", "with_probabilities"),
    [
        ("ewa,newest", ("ewa",), False),
        ("ewa,newest,toy", ("ewa",), True),
        ("newest", ("ftl",), False),
    ],
)
def test_strategies_of_others_are_not_tried_on_made_rows(
    stream, strategies, tried, with_probabilities
):
    needed = engine(stream, strategies=strategies).pipeline.needed
    assert (needed.strategies, needed.with_probabilities) == (tried, with_probabilities)


@pytest.mark.usefixtures("cold")
def test_of_two_processes_one_compiles_and_the_other_waits():
    folder, order = cache_notes.cache_folder(), []
    with cache_notes.compile_lock(folder, "name", pytest.fail):
        waits = threading.Event()

        def second():
            with cache_notes.compile_lock(folder, "name", lambda: (waits.set(), time.sleep(0.01))):
                order.append("second")

        thread = threading.Thread(target=second)
        thread.start()
        assert waits.wait(60)
        order.append("first")
    thread.join(120)
    assert order == ["first", "second"]


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().split(") ")[1][0] != "Z"
    except OSError:
        return False


def ends_soon(pid):
    until = time.monotonic() + 60
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not is_running(pid)


needs_proc = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.mark.slow
@pytest.mark.usefixtures("cold")
@needs_proc
def test_the_compiler_ends_with_the_run(stream):
    made = engine(stream)
    processes = []
    made.listener.progress = lambda: (
        processes.append(made.pipeline.warming.process),
        made.stop() if processes[-1] else None,
    )
    run(made)
    assert ends_soon(processes[-1].pid)


@pytest.mark.slow
@needs_proc
@pytest.mark.usefixtures("cold")
def test_the_compiler_ends_when_the_run_is_killed():
    program = (
        "import sys, time\n"
        "from macro_engine.algorithm.needed_kernels import NeededKernels\n"
        "from macro_engine.run.compiling import compiler_process\n"
        "needed = NeededKernels('labels', 'logistic', ('ftl',), False, False, False)\n"
        "print(compiler_process.start(needed).pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        pid = int(parent.stdout.readline())
        time.sleep(0.5)
        os.kill(parent.pid, signal.SIGKILL)
    assert ends_soon(pid)
