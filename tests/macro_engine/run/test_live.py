"""A live run: rows are predicted as they come, and stopped or killed it goes on as if nothing was."""

import asyncio
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from extras import needs_vw
from made_runs import SETTINGS, engine, live_engine, run, run_until_read, write_stream

from macro_engine.core.errors import MacroError
from macro_engine.core.state import pack
from macro_engine.datasets.player import Mishaps, Player
from macro_engine.options.settings import Layer
from macro_engine.run import open_step
from macro_engine.run.engine import Listener
from macro_engine.run.playing.pace import Speed
from macro_engine.run.store.recorder import Recorder
from macro_engine.run.store.runfile import RunReader
from macro_engine.stream.live.standard_input import Pipe
from macro_engine.stream.opening import open_stream
from macro_engine.stream.steps import TOO_FAR_AHEAD

ROWS = 1200


@pytest.fixture
def lines(tmp_path):
    return write_stream(tmp_path / "d.csv", ROWS, garbage=0.01).read_bytes().splitlines(True)


@pytest.fixture
def live(tmp_path, lines):
    path = tmp_path / "live.csv"
    path.write_bytes(lines[0])
    return path


def append(path, lines):
    with path.open("ab") as file:
        file.write(b"".join(lines))


def outputs(folder, name):
    return {"predictions": folder / f"{name}-p.csv", "trace": folder / f"{name}-t.csv"}


def state_of(path):
    reader = RunReader(path)
    state = {name: pack(part) for name, part in reader.state().items()}
    reader.close()
    return state


def events_of(path):
    reader = RunReader(path)
    events = [event.text for _, event in reader.events(["source"])]
    reader.close()
    return events


def wrong_clocks(lines):
    """The lines, with a gap of months in the middle, and a clock that stands in 2099."""
    return [
        b"2099-01-01T00:00:00" + line[19:]
        if i % 50 == 7
        else line.replace(b"2024-01-", b"2024-05-" if i > ROWS // 2 else b"2024-01-")
        for i, line in enumerate(lines)
    ]


def test_closed_steps_are_those_of_a_replay(lines, live, tmp_path):
    replayed, tailed = outputs(tmp_path, "replayed"), outputs(tmp_path, "tailed")
    run(engine(tmp_path / "d.csv", **replayed))
    append(live, lines[1:])
    made = run_until_read(live_engine(live, **tailed), ROWS)
    assert made.snapshot.state == "stopped"
    assert made.steps > 100
    for name, path in tailed.items():
        whole = replayed[name].read_text().splitlines()
        part = path.read_text().splitlines()
        assert len(whole) - 100 < len(part) < len(whole)
        assert part == whole[: len(part)]


def _ahead(made):
    return [r.line for r in made.rejections.first if r.problem.kind == TOO_FAR_AHEAD]


@pytest.mark.slow
def test_rows_held_aside_outlive_a_stop(lines, live, tmp_path):
    """A tail does not hold what this machine's clock allows, and gets the steps of a replay."""
    lines = wrong_clocks(lines)
    (tmp_path / "d.csv").write_bytes(b"".join(lines))
    replayed, tailed = outputs(tmp_path, "replayed"), outputs(tmp_path, "tailed")
    whole = run(engine(tmp_path / "d.csv", **replayed))
    for begin, end in ((1, 590), (590, 640), (640, ROWS + 1)):
        append(live, lines[begin:end])
        made = run_until_read(live_engine(live, tmp_path / "t.run", **tailed), end - 20)
        assert made.reader.held > 0
    for name, path in tailed.items():
        expected, found = replayed[name].read_text().splitlines(), path.read_text().splitlines()
        assert len(found) > 0.9 * len(expected)
        assert found == expected[: len(found)]
    wrong = [8 + 50 * i for i in range(ROWS // 50)]  # lines, from 1
    assert _ahead(whole) == wrong
    assert _ahead(made) == wrong[: -made.reader.held]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"distance": "features", "max_subroutines": "3"},
        {"distance": "frames", "subroutine": "nearest-mean"},
        {"subroutine": "erm", "output": "average"},
        {"subroutine": "river:naive_bayes.GaussianNB()", "distance": "markov"},
        pytest.param({"subroutine": "vw"}, marks=needs_vw),
    ],
    ids=["labels", "features", "frames", "erm", "river", "vw"],
)
def test_what_is_said_of_the_open_step_is_what_is_recorded(lines, live, options, monkeypatch):
    """The same with a look at the open step after every few rows as without any."""
    monkeypatch.setattr(open_step, "_REST", 0)  # whatever a look costs
    seen, recorded, shown = {}, {}, []

    def look():
        watch = made.progress.open_step
        if watch is not None and watch.step is not None:
            seen.setdefault(watch.step, []).append(watch.predictions)
            shown.append(made.snapshot)

    def keep(results):
        starts = results.starts
        for s in range(results.steps):
            part = results.predictions[:, starts[s] : starts[s + 1]]
            recorded[results.first_step + s] = part

    listener = Listener(progress=look, results=keep)
    made = live_engine(live, listener=listener, classes="0,1", scale="none", **options)

    async def grow():
        task = asyncio.create_task(made.run())
        for i in range(1, 150, 3):
            append(live, lines[i : i + 3])
            await asyncio.sleep(0.022)
        made.stop()
        await task

    asyncio.run(grow())
    looked_at = [step for step in seen if step in recorded]
    assert len(looked_at) > 5
    for step in looked_at:
        for said in seen[step]:
            assert np.array_equal(said, recorded[step][:, : said.shape[1]])
    assert any(snapshot.open_rows > 1 for snapshot in shown)
    newest = shown[-1]
    assert set(newest.said) == {"label", "marginal", "no_change", "ftl", "ewa"}
    assert set(newest.open_errors) == {"marginal", "no_change", "ftl", "ewa"}
    untouched = live_engine(live, classes="0,1", scale="none", **options)
    assert run_until_read(untouched, 150).summary()["errors"] == made.summary()["errors"]


def test_a_model_that_fails_at_the_open_step_is_named_in_one_line(
    lines, live, tmp_path, monkeypatch
):
    (tmp_path / "fails_ahead.py").write_text(
        "from river import dummy\n"
        "class Fails(dummy.PriorClassifier):\n"
        "    def predict_one(self, x):\n"
        "        raise KeyError('\x1b[2J')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    append(live, lines[1:4])
    made = live_engine(live, subroutine="python:fails_ahead:Fails", classes="0,1", scale="none")
    words = r"python:fails_ahead:Fails failed in the steps from 0: KeyError: '\\x1b\[2J'"
    with pytest.raises(MacroError, match=words):
        run(made)
    assert made.snapshot.state == "failed"
    assert made.snapshot.open_errors == {}


def test_silence_closes_a_step_and_is_an_event(lines, live, tmp_path):
    append(live, lines[1:100])
    states = set()

    def look():
        states.add(made.snapshot.state)
        if made.reader.maker.open_rows == 0 and made.steps:
            made.stop()

    made = live_engine(
        live, tmp_path / "a.run", Listener(progress=look), 0.3, classes="0,1", scale="none"
    )
    run(made)
    (event,) = [text for text in events_of(tmp_path / "a.run") if " no rows for" in text]
    assert f"step {made.steps - 1} is closed with" in event
    assert made.pipeline.scoreboard.rows == 99 - made.rejections.count


def test_steps_counted_in_rows_close_when_they_are_full_and_not_by_silence(lines, live):
    append(live, lines[1:22])
    made = live_engine(live, close_after=0.01, classes="0,1", scale="none", every="5")
    run_until_read(made, 21)
    assert made.steps == (21 - made.rejections.count) // 5


def test_a_stopped_run_goes_on_with_the_open_step(lines, live, tmp_path):
    whole, parts = outputs(tmp_path, "whole"), outputs(tmp_path, "parts")
    for start, stop in ((0, 200), (200, 700), (700, 701), (701, ROWS)):
        append(live, lines[1 + start : 1 + stop])
        run_until_read(live_engine(live, tmp_path / "a.run", **parts), stop)
    run_until_read(live_engine(live, tmp_path / "b.run", **whole), ROWS)
    for name, path in whole.items():
        assert path.read_bytes() == parts[name].read_bytes()
    assert state_of(tmp_path / "a.run") == state_of(tmp_path / "b.run")


def test_a_failure_between_two_blocks_of_one_look_leaves_a_run_that_goes_on(lines, live, tmp_path):
    """Somebody who listens may fail at any step: say, a log that cannot be written any more."""
    whole, parts = outputs(tmp_path, "whole"), outputs(tmp_path, "parts")
    options = {"classes": "0,1", "scale": "none"}
    made = live_engine(live, tmp_path / "a.run", **parts, **options)

    def fail(results):
        if results.first_step >= 30:
            raise BrokenPipeError

    append(live, lines[1:200])
    run_until_read(made, 199)
    append(live, lines[200:])
    with pytest.raises(BrokenPipeError):
        run(live_engine(live, tmp_path / "a.run", Listener(results=fail), **parts, **options))
    run_until_read(live_engine(live, tmp_path / "a.run", **parts, **options), ROWS)
    run_until_read(live_engine(live, tmp_path / "b.run", **whole, **options), ROWS)
    for name, path in whole.items():
        assert path.read_bytes() == parts[name].read_bytes()
    assert state_of(tmp_path / "a.run") == state_of(tmp_path / "b.run")


def test_other_settings_are_refused_and_a_longer_file_is_not(lines, live, tmp_path):
    append(live, lines[1:700])
    run_until_read(live_engine(live, tmp_path / "a.run"), 699)
    with pytest.raises(MacroError, match="--every was"):
        run(live_engine(live, tmp_path / "a.run", every="1h"))
    other = live.rename(tmp_path / "other.csv")
    with pytest.raises(MacroError, match=r"the input was live\.csv and is other\.csv"):
        run(live_engine(other, tmp_path / "a.run"))


def test_a_run_that_goes_on_tells_readers_at_once_where_it_stands(
    lines, live, tmp_path, monkeypatch
):
    append(live, lines[1:700])
    before = run_until_read(live_engine(live, tmp_path / "a.run"), 699)
    told = []
    made = live_engine(live, tmp_path / "a.run", Listener(progress=lambda: made.stop()))
    monkeypatch.setattr(
        Recorder, "hand_over", lambda _self, _state, info: told.append(info["snapshot"])
    )
    run(made)
    assert told[0]["steps"] == before.steps > 0


def test_the_classes_are_learned_from_the_first_rows(lines, live):
    words = set()
    made = live_engine(live, listener=Listener(progress=lambda: words.add(made.snapshot.words)))
    append(live, lines[1:300])
    run_until_read(made, 299)
    assert any(w.startswith("learning the classes 2") and w.endswith("/500") for w in words)
    assert made.steps == 0
    assert made.snapshot.state == "stopped"


def test_a_pipe_ends_and_closes_the_last_step(lines, tmp_path):
    replayed, piped = outputs(tmp_path, "replayed"), outputs(tmp_path, "piped")
    run(engine(tmp_path / "d.csv", **replayed))
    reading, writing = os.pipe()
    writer = threading.Thread(
        target=lambda: (os.write(writing, b"".join(lines)), os.close(writing))
    )
    writer.start()
    pipe = Pipe(reading)
    while not pipe.waiting:
        pipe.fill()
    made = run(live_engine(pipe, **piped))
    writer.join()
    os.close(reading)
    assert made.snapshot.state == "finished"
    for name, path in replayed.items():
        assert path.read_bytes() == piped[name].read_bytes()


def test_a_finished_run_takes_no_new_pipe(lines, tmp_path):
    for refused in (False, True):
        reading, writing = os.pipe()
        os.write(writing, b"".join(lines[:700]))
        os.close(writing)
        made = live_engine(Pipe(reading), tmp_path / "a.run")
        if refused:
            with pytest.raises(MacroError, match="to which nothing of standard input can be added"):
                run(made)
        else:
            run(made)
        os.close(reading)
    reader = RunReader(tmp_path / "a.run")
    assert reader.info["status"] == "finished"
    reader.close()


KILLED = """
import os, sys, threading, time
from pathlib import Path
from made_runs import live_engine, run_until_read
import macro_engine.run.store.recorder as recorder
recorder.COMMIT_SECONDS, recorder._REST = 0.01, 0
folder, delay = Path(sys.argv[1]), float(sys.argv[2])
outputs = {name: folder / f"killed-{name[0]}.csv" for name in ("predictions", "trace")}
(folder / "ready").touch()
made = live_engine(folder / "live.csv", folder / "killed.run", **outputs)
started = threading.Event()
made.listener.progress = started.set
def kill():
    started.wait()
    time.sleep(delay)
    os.kill(os.getpid(), 9)
if delay:
    threading.Thread(target=kill, daemon=True).start()
run_until_read(made, int(sys.argv[3]))
"""


@pytest.mark.slow
def test_killed_while_the_file_grows_and_rotates_it_ends_as_if_it_never_was(tmp_path):
    """An undisturbed run reads the same file at the same time."""
    write_stream(tmp_path / "d.csv", ROWS, garbage=0.01)
    opened = open_stream([tmp_path / "d.csv"], [Layer.read("test", SETTINGS, of_user=True)])
    player = Player(opened, tmp_path / "live.csv", Speed(rate=300), Mishaps(rotate_rows=250))
    writer = threading.Thread(target=player.play, args=[lambda _done, _rows: None])
    rng, deaths = random.Random(3), 0

    def child(delay):
        root = Path(__file__).parents[3]
        return subprocess.Popen(
            [sys.executable, "-c", KILLED, tmp_path, str(delay), str(ROWS)],
            env=os.environ | {"PYTHONPATH": f"{root}:{root / 'tests'}"},
        )

    running = child(0.3)  # it must see the first file before that is rotated away
    while not (tmp_path / "ready").exists():
        time.sleep(0.01)
    writer.start()
    while not (tmp_path / "live.csv").exists():
        time.sleep(0.001)
    whole = outputs(tmp_path, "whole")
    watcher = threading.Thread(
        target=lambda: run_until_read(
            live_engine(tmp_path / "live.csv", tmp_path / "whole.run", **whole), ROWS
        )
    )
    watcher.start()
    while writer.is_alive():
        deaths += running.wait() == -9
        running = child(0.05 + rng.random() * 0.5)
    running.wait()
    assert child(0).wait() == 0
    writer.join()
    watcher.join()
    assert deaths > 1
    for name, path in whole.items():
        killed = tmp_path / f"killed-{name[0]}.csv"
        assert path.read_bytes() == killed.read_bytes()
    assert state_of(tmp_path / "whole.run") == state_of(tmp_path / "killed.run")
    assert sum("rotated" in text for text in events_of(tmp_path / "whole.run")) == 4
