"""Short forms of the benchmarks, so that they keep working and their bounds are watched.

    pytest tests/benchmarks/short_forms.py

Bounds are wide, and what is measured may be measured again: only what fails three times fails.
"""

import functools
import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = pytest.mark.alone

BENCHMARKS = Path(__file__).parent
ATTEMPTS = 3


def run(name, *arguments):
    done = subprocess.run(
        [sys.executable, BENCHMARKS / name, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def measured(test):
    """A test of a figure that a busy machine can spoil."""

    @functools.wraps(test)
    def repeated(*arguments, **named):
        for _ in range(ATTEMPTS - 1):
            try:
                return test(*arguments, **named)
            except AssertionError:
                continue
        return test(*arguments, **named)

    return repeated


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
@pytest.mark.parametrize(("kind", "rows"), [("parquet", 2_000_000), ("csv", 1_000_000)])
@measured
def test_memory_does_not_grow_with_the_file(kind, rows):
    def peak(rows):
        found = re.search(r"peak memory ([\d,]+) MB", run("large_files.py", str(rows), kind))
        return int(found[1].replace(",", ""))

    assert peak(rows) <= peak(rows // 5) + 60


@measured
def test_clean_csv_is_read_at_once():
    ratios = {
        line.split(":")[0]: float(line.split()[-1])
        for line in run("reading.py", "1", "2").splitlines()
    }
    assert ratios["Atlanta"] < 1.8  # 1.3 is the bound, with room for a busy machine
    assert ratios["laid end to end"] < 0.35  # 0.25 is the bound, with room for a busy machine
    assert ratios["one bad line in 10,000"] < 1.0
    assert ratios["1,000 columns"] < 0.6  # 0.3 with more rows, where opening does not count


@measured
def test_neither_time_nor_memory_grow_with_the_stream():
    lines = run("growth.py", "4", "labels").splitlines()
    subroutines, held = zip(
        *(re.search(r"(\d+) subroutines.* ([\d.]+) MB", line).groups() for line in lines[:4]),
        strict=True,
    )
    assert len(set(subroutines)) == 1
    assert float(held[3]) <= float(held[0]) + 9  # learning rates kept ready, 8 MB at most
    # the bound is 1.15 when nothing else runs; here tests share the machine
    assert float(lines[4].split()[-1]) < 1.6


@measured
def test_the_family_costs_less_than_one_river_model():
    done = subprocess.run(
        [sys.executable, "-m", "macro_tui", "bench", "--rounds", "1", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    ratios = {r["key"]: r["ratio_to_river"] for r in json.loads(done.stdout)["results"]}
    assert ratios["a"] == 1.0
    assert ratios["b"] < 0.7  # 0.5 is the target, with room for noise in a single round
    assert ratios["c"] < 0.25  # 0.15 likewise
    assert ratios["d"] > 1.0


@measured
def test_a_frame_of_the_chart_sends_little():
    found = re.findall(r"(\S+), (\S+): ours .* ([\d,]+) bytes", run("chart.py", "8"))
    sent = {(theme, kind): int(count.replace(",", "")) for theme, kind, count in found}
    assert sent["ansi-dark", "scrolling"] < 2_500
    assert sent["ansi-dark", "sweeping"] < 1_500


@measured
def test_the_first_step_comes_soon_after_the_command():
    line = run("start.py", "2", "--warm").splitlines()[-1]
    assert float(line.split()[-1]) < 2.5  # 2 is the bound, with room for a busy machine


def test_a_run_that_is_killed_ends_as_if_it_had_never_been():
    assert "4 kills" in run("kills.py", "4", "1")


@pytest.mark.skipif(
    find_spec("confluent_kafka") is None,
    reason="needs confluent-kafka: pip install 'macro-tui[kafka]'",
)
@pytest.mark.parametrize(("part", "amount"), [("kills", 2), ("pace", 3_000)])
def test_every_message_of_a_topic_is_read_once(part, amount):
    assert run("kafka.py", part, str(amount)).startswith(f"{part}: ")


def test_a_run_survives_a_disk_that_fails_for_a_second():
    found = re.search(
        r"(\d+) failures of a second; (\d+) ended as if undisturbed", run("failing_disk.py", "30")
    )
    assert int(found[1]) == int(found[2]) > 5


@measured
def test_recording_costs_little():
    lines = run("recording.py", "1", "1").splitlines()
    assert float(lines[0].split()[-1]) < 6.0  # 1.15 over a run of 20 s, on a quiet machine
    assert float(lines[1].split("all, ")[1].split()[0]) < 1.0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
@measured
def test_the_monitor_paints_soon_and_answers_keys():
    paint, compiled, general = run("monitor.py", "1", "1", "paint", "keys").splitlines()
    assert float(paint.split()[-1]) < 3.0  # 1.5 is the bound, with room for a busy machine
    for line in (compiled, general):
        assert int(line.split()[-2]) < 400  # 100 likewise


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
@measured
def test_the_monitor_costs_the_engine_little():
    speed, _memory_of_a_start = run("monitor.py", "2", "1", "speed").splitlines()
    assert float(speed.split()[-1]) < 4.0  # 1.15 over a run of 20 s, on a quiet machine


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs Linux's /proc")
@measured
def test_a_wall_costs_little():
    paint, live, _ = run("wall.py", "8", "5").splitlines()
    assert float(paint.split()[-1]) < 3.0  # 2 is the bound, with room for a busy machine
    assert float(live.split()[-1]) < 0.2  # 0.15 for fifty runs


def test_a_frame_is_drawn():
    assert float(run("frames.py", "10").split()[1]) < 60  # ms, about 5 on a quiet machine


@pytest.mark.parametrize(("part", "amount"), [("pace", 2), ("fuzz", 20_000)])
@measured
def test_a_live_feed_is_kept_up_with_and_survived(part, amount):
    assert run("tail.py", part, str(amount)).startswith(f"{part}: ")


@measured
def test_a_tail_keeps_up_while_labels_come_late():
    lines = run("late.py", "20000", "60000", "rows", "windows", "file").splitlines()
    rates = [int(line.split()[1].replace(",", "")) for line in lines]
    assert len(rates) == 3
    assert min(rates) > 10_000  # 20,000 rows/s is the bound, with room for a busy machine


@measured
def test_a_live_feed_is_emitted_soon_while_labels_are_awaited():
    found = run("late.py", "2000", "1", "live")
    assert found.startswith("live: ")
    assert float(found.split()[1]) < 10  # seconds after the feed, 0.3 where there is room


@measured
def test_the_estimator_keeps_up_with_one_river_model():
    lines = run("estimator.py", "3", "1500").splitlines()[1:-1]
    ratios = {line[:44].strip(): float(line.split()[-1]) for line in lines}
    assert len(ratios) == 17
    # 2 is the bound, 10 that for features and 4 that for blend with two classes, with room for a
    # busy machine
    bounds = {"features": 10, "blend": 6}
    for name, ratio in ratios.items():
        if not (name.startswith("blend") and "4 classes" in name):
            assert ratio <= bounds.get(name.split(",")[0], 3), name


def test_the_estimator_as_it_comes_is_no_worse_than_logistic_regression():
    lines = run("classifiers.py", "1", "2000", "MacroClassifier", "LogisticRegression")
    found = re.findall(r"(\w+) +(\w+) +([\d.]+)", lines.split("\n", 1)[1])
    errors = {(classifier, name): float(error) for classifier, name, error in found}
    names = {name for _, name in errors} - {"mean"}
    assert len(names) == 7
    assert errors["MacroClassifier", "mean"] < errors["LogisticRegression", "mean"]
    better = [errors["MacroClassifier", n] <= errors["LogisticRegression", n] for n in names]
    assert sum(better) >= 5


@measured
def test_a_small_stream_of_a_fleet_costs_little():
    found = re.search(r"overhead ([\d.-]+) ms a stream of CPU time", run("fleet.py", "small", "60"))
    assert float(found[1]) < 60


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="needs two cores")
@measured
def test_a_fleet_gains_by_a_second_worker():
    found = re.search(r"ratio ([\d.]+)", run("fleet.py", "airports", "1", "4", "2"))
    assert float(found[1]) > 1.3
