"""What a fleet gains on two cores, and what a small stream costs in it.

    python tests/benchmarks/fleet.py airports [ROUNDS [TIMES [AIRPORTS]]]
    python tests/benchmarks/fleet.py commands [ROUNDS [TIMES [AIRPORTS]]]
    python tests/benchmarks/fleet.py small [STREAMS]

`airports` runs the shipped airports, each TIMES times after another in one stream (20), by one worker
and by two in turn, in processes that are warm, and gives the ratio of the times: at least 1.6 on two
free cores. Where the cores are not free, the CPU time of the workers over the clock's says how many
they had.

`commands` is what a user sees, start of every process included: `replay --run` of each stream, one
command after another, then `fleet` with one worker and with two.

`small` runs many streams of 100 rows by one worker. The overhead of a small stream is what it costs
beyond the same rows within one long run: the worker runs one stream that holds the rows of all of
them, once, and that is taken from what the small ones took, by the clock and of the worker's CPU time
(to 10 ms in all, the kernel's unit), and shared out: opening, inference, run file, summary and start
of the kernels. Under 30 ms; by the clock only where a core is free. On a busy machine the CPU time
tells.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl

from macro_engine.fleet.fleet import Fleet, LocalRunner
from macro_engine.fleet.stream import Stream
from macro_tui.replays import shipped_replays

OPTIONS = {"label": "y", "classes": "p,q", "features": "a,b", "every": "1", "scale": "none"}


def long_streams(folder: Path, times: int, airports: int) -> list[Path]:
    """The shipped airports, one after another at later times, with their descriptions."""
    from macro_engine.stream.formats.parquet import KEY

    made = []
    for path in [p for p in shipped_replays() if p.name.startswith("airline-")][:airports]:
        frame, described = pl.read_parquet(path), pl.read_parquet_metadata(path)[KEY]
        (time_column,) = [n for n, kind in frame.schema.items() if kind.is_temporal()][:1]
        later = [
            frame.with_columns(pl.col(time_column) + pl.duration(days=182 * i))
            for i in range(times)
        ]
        made.append(folder / path.name)
        pl.concat(later).write_parquet(made[-1], metadata={KEY: described})
    return made


def fleet_of(
    paths: list[Path], folder: Path, workers: int, options=None
) -> tuple[Fleet, float, float]:
    """Runs a fleet by warm workers; returns it, and seconds by the clock and of the workers' CPU."""
    folder.mkdir()
    streams = [
        Stream(path.stem, str(path), str(folder / f"{path.stem}.run"), options=options or {})
        for path in paths
    ]
    runner = LocalRunner(workers)
    warm = folder / "warm"
    warm.mkdir()
    runner.close, close = lambda: None, runner.close
    for worker in range(workers):  # imports and kernels, before the clock starts
        path = str(warm / f"{worker}.run")
        runner.begin(worker, Stream("warm", streams[0].source, path, options=options or {}))
    while runner.at_work:
        runner.wait(0.2)
    started, before = time.perf_counter(), cpu_of(runner)
    fleet = Fleet(streams, lambda: runner, print)
    fleet.run()
    seconds, cpu = time.perf_counter() - started, cpu_of(runner) - before
    close()
    assert not fleet.failed, fleet.failed[0].reason
    return fleet, seconds, cpu


def cpu_of(runner: LocalRunner) -> float:
    """Seconds of CPU time that the workers took until now."""
    total = 0.0
    for worker in runner.workers:
        fields = Path(f"/proc/{worker.process.pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / 100
    return total


def airports(rounds: int = 2, times: int = 20, count: int = 7) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = long_streams(folder, times, count)
        taken: dict[int, list[float]] = {1: [], 2: []}
        for turn in range(rounds):
            for workers in (1, 2):
                fleet, seconds, cpu = fleet_of(paths, folder / f"{turn}-{workers}", workers)
                taken[workers].append(seconds)
                rows = sum(one.value["summary"]["rows"] for one in fleet.standings)
                print(
                    f"{workers} workers: {rows:,} rows in {seconds:.1f} s, {cpu:.1f} s of CPU time, "
                    f"{cpu / seconds:.2f} cores"
                )
        print(f"ratio {min(taken[1]) / min(taken[2]):.2f}")


def commands(rounds: int = 2, times: int = 20, count: int = 7) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths = [str(path) for path in long_streams(folder, times, count)]
        taken: dict[str, list[float]] = {"replay": [], "fleet 1": [], "fleet 2": []}
        for turn in range(rounds):
            to = folder / f"runs-{turn}"
            to.mkdir()
            alone = [["replay", path, "--run", f"{to}/{k}.run"] for k, path in enumerate(paths)]
            ways = {"replay": alone} | {
                f"fleet {n}": [["fleet", *paths, "--to", f"{to}/{n}", "--workers", str(n)]]
                for n in (1, 2)
            }
            for way, words in ways.items():
                started, before = time.perf_counter(), cpu_of_children()
                for asked in words:
                    command = [sys.executable, "-m", "macro_tui", *asked, "--headless"]
                    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
                seconds, cpu = time.perf_counter() - started, cpu_of_children() - before
                taken[way].append(seconds)
                print(f"{way}: {seconds:.1f} s, {cpu:.1f} s of CPU time, {cpu / seconds:.2f} cores")
        for way in ("replay", "fleet 1"):
            print(f"ratio to {way}: {min(taken[way]) / min(taken['fleet 2']):.2f}")


def cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def small(count: int = 1000) -> None:
    import random

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths, together = [], []
        for number in range(count):
            made = random.Random(number)
            rows = [
                f"{made.random():.3f},{made.random():.3f},{made.choice('pq')}" for _ in range(100)
            ]
            together += rows
            paths.append(folder / f"s{number}.csv")
            paths[-1].write_text("\n".join(["a,b,y", *rows, ""]))
        whole = folder / "together.csv"
        whole.write_text("\n".join(["a,b,y", *together, ""]))
        _, whole_seconds, whole_cpu = fleet_of([whole], folder / "whole", 1, OPTIONS)
        before = time.process_time()
        fleet, seconds, cpu = fleet_of(paths, folder / "runs", 1, OPTIONS)
        here = time.process_time() - before
        assert sum(one.value["summary"]["rows"] for one in fleet.standings) == 100 * count
        print(
            f"{count} streams in {seconds:.1f} s ({cpu:.1f} s of CPU time in the worker, "
            f"{here:.1f} here); their rows in one run: {whole_seconds:.1f} s ({whole_cpu:.1f})"
        )
        print(f"overhead {1000 * (seconds - whole_seconds) / count:.1f} ms a stream by the clock")
        print(f"overhead {1000 * (cpu - whole_cpu) / count:.1f} ms a stream of CPU time")


if __name__ == "__main__":
    {"airports": airports, "commands": commands, "small": small}[sys.argv[1]](
        *map(int, sys.argv[2:])
    )
