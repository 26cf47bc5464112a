import asyncio
import gzip
from time import monotonic

import numpy as np
import pytest
from made_runs import engine, run, run_until, write_stream
from made_streams import block_of

from macro_engine.core.errors import UsageError
from macro_engine.core.rows import Block
from macro_engine.run.playing.pace import Destination, Pace
from macro_engine.run.playing.speed import Speed


def block(steps=100, minutes=10):
    made = block_of([0, 1] * steps, [2] * steps)
    times = np.repeat(np.arange(steps), 2) * minutes * 60_000_000
    return Block(made.rows, made.starts, times, 0, 0)


SHARES = np.linspace(0.01, 1, 100)


def allowed(pace, made, start=0):
    return asyncio.run(pace.allowed(made, start, SHARES))


def test_speeds_are_read_and_shown():
    assert Speed.parse("60x") == Speed(multiple=60.0)
    assert str(Speed.parse("max")) == "max"
    assert str(Speed(rate=200)) == "200 rows/s"
    assert str(Speed(multiple=87000)) == "87,000x"
    for text in ("60", "0x", "fast", "-1x", "1e9x"):
        with pytest.raises(UsageError, match="60x or max"):
            Speed.parse(text)


def test_without_a_limit_all_may_run():
    assert allowed(Pace(Speed()), block()) == 100


def test_a_recording_is_played_in_three_minutes_unless_asked_otherwise():
    pace = Pace(None)
    pace.choose(block(steps=1000), 0.5)
    assert pace.speed == Speed(multiple=6700.0)  # 2 * 999 * 600 s in 180 s
    pace = Pace(None)
    without_times = block_of([0, 1] * 1800, [2] * 1800)
    pace.choose(without_times, 1.0)
    assert pace.speed == Speed(rate=20.0)


@pytest.mark.slow
def test_steps_run_when_their_time_has_come():
    pace = Pace(Speed(multiple=60_000.0))  # a step of ten minutes in 10 ms
    made = block()

    async def play():
        done = 0
        while done < 60:
            done = await pace.allowed(made, done, SHARES)

    started = monotonic()
    asyncio.run(play())
    assert monotonic() - started > 0.3


def with_a_wrong_time(at=50):
    """A step every ten minutes, and one that is years ahead of all others."""
    made = block()
    times = made.times.copy()
    times[2 * at : 2 * at + 2] += 8 * 365 * 86_400_000_000
    return Block(made.rows, made.starts, times, 0, 0)


@pytest.mark.parametrize("at", [0, 50, 99])
def test_one_wrong_time_holds_the_screen_for_three_seconds_at_most(monkeypatch, at):
    now = [100.0]
    monkeypatch.setattr("macro_engine.run.clock.monotonic", lambda: now[0])
    pace = Pace(Speed(multiple=6000.0))  # a step in 100 ms
    made, done, waits = with_a_wrong_time(at), 0, []
    while done < 100:
        stop, delay = pace._due(made, done)
        if stop == done:
            waits.append(delay)
            now[0] += delay + 1e-6
        done = stop
    assert max(waits) <= 3.0
    assert now[0] - 100 < 14


@pytest.mark.slow
def test_a_gap_that_is_skipped_is_told_and_said_once(monkeypatch):
    monkeypatch.setattr("macro_engine.run.clock.LONGEST_WAIT", 0.2)
    monkeypatch.setattr("macro_engine.run.playing.pace.LONGEST_WAIT", 0.7)
    told, said = [], []
    pace = Pace(Speed(multiple=1e6), told.append, said.append)
    made = with_a_wrong_time(3)

    async def play():
        done = 0
        while done < 10:
            done = await pace.allowed(made, done, SHARES)

    asyncio.run(play())
    assert "skipping 8 years" in told
    assert said == ["skipping 8 years without rows"]


def test_a_speed_is_chosen_by_most_times_and_not_by_a_wrong_one():
    pace = Pace(None)
    pace.choose(with_a_wrong_time(), 1.0)
    assert pace.speed == Speed(multiple=330.0)  # 100 steps of 600 s in 180 s


def test_rows_by_rate_have_no_gaps(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("macro_engine.run.clock.monotonic", lambda: now[0])
    pace = Pace(Speed(rate=0.1))
    made = block()
    now[0] += 1.0 + pace._due(made, 0)[1]
    done, delay = pace._due(made, 0)
    assert done == 1
    assert delay == pytest.approx(19.0)  # two rows in 20 s


def test_paused_only_single_steps_run():
    pace = Pace(Speed())

    async def play():
        pace.pause(True)
        waiting = asyncio.create_task(pace.allowed(block(), 7, SHARES))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        pace.step()
        assert await waiting == 8
        waiting = asyncio.create_task(pace.allowed(block(), 8, SHARES))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        pace.pause(False)
        assert await waiting == 100

    asyncio.run(play())


@pytest.mark.parametrize(
    ("target", "steps"),
    [
        (Destination(step=7), 8),
        (Destination(step=1000), 100),
        (Destination(row=0), 0),
        (Destination(row=21), 10),
        (Destination(time=50 * 60_000_000), 5),
        (Destination(time=51 * 60_000_000), 6),
        (Destination(share=0.5), 49),
        (Destination(share=1.0), 100),
        (Destination(row=1000), 100),
    ],
)
def test_it_goes_to_a_step_a_row_a_time_or_a_share_and_not_beyond(target, steps):
    assert target.reached_at(block(), SHARES) == steps


def test_there_it_is_as_slow_as_before():
    pace = Pace(Speed(multiple=1.0))
    pace.pause(True)
    pace.go_to(Destination(row=20))
    assert allowed(pace, block()) == 10

    async def then():
        waiting = asyncio.create_task(pace.allowed(block(), 10, SHARES))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        assert pace.target is None
        pace.stop()
        assert await waiting == 10

    asyncio.run(then())


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_csv_is_played_in_three_minutes_as_any_recording(tmp_path, ending):
    stream = write_stream(tmp_path / "d.csv", rows=2000)  # of 100 hours
    if ending == ".csv.gz":
        stream = tmp_path / "d.csv.gz"
        stream.write_bytes(gzip.compress((tmp_path / "d.csv").read_bytes()))
    made = engine(stream, speed=None)
    assert made.reader.source.done == 0.0
    shares = []

    def progress():
        shares.append(made.done)
        made.pace.go_to(Destination(share=1.0))

    made.listener.progress = progress
    run(made)
    assert made.pace.speed == Speed(multiple=2000.0)
    assert 0.0 < shares[0] < 0.1
    assert shares == sorted(shares)


def test_a_run_that_goes_on_knows_how_far_it_is(tmp_path):
    stream, run_file = write_stream(tmp_path / "d.csv", rows=2000), tmp_path / "a.run"
    half = run_until(engine(stream, run_file), 100)
    again = engine(stream, run_file)
    first = []
    again.listener.progress = lambda: first.append(again.done)
    run(again)
    assert 0.3 < half.done < first[0] <= 1.0
