from __future__ import annotations

import gc
import json
import os
from collections import Counter
from pathlib import Path

import pytest
from turns import compile_each_kernel_once, turn

# what tests need is loaded by fixtures, in the workers: all of them wait for this file to be read

# tests start commands a hundred times, which need not be parsed every time
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# kernels that are not in the cache are compiled before the first step: what a test sees of a run
# must not depend on how soon they are there
os.environ.setdefault("MACRO_TUI_COMPILER", "wait")


def pytest_addoption(parser):
    parser.addoption("--no-skips", action="store_true", help="a test that would skip fails")
    parser.addoption(
        "--only-extras-skip", action="store_true", help="likewise, unless it needs an extra"
    )


def pytest_xdist_auto_num_workers():
    """For two cores; tests often wait for a terminal, a disk or another process."""
    return 4


# where most kernels are compiled first, if the cache is empty, one file a worker: all others load
# them, and so do the commands that tests start, which do not wait for each other
COMPILING = ("algorithm/test_compiled.py", "tests/test_doctests.py", "run/test_late_labels.py")


def pytest_collection_modifyitems(items):
    """Files with slow tests first: at the end all workers are busy with what takes no time.

    Tests that want to be alone come last, when nobody waits long for the others to leave.
    """
    slow = Counter(item.path for item in items if item.get_closest_marker("slow"))
    for path in slow:
        if str(path).endswith(COMPILING):
            slow[path] += len(items)
    for item in items:
        if item.get_closest_marker("alone"):
            slow[item.path] = -1
    items.sort(key=lambda item: -slow[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """All that is made until tests are collected stays: no collector need look at it, ever."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.set_threshold(20_000)  # a compiler makes much that is used
    gc.enable()
    return collected


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    option = item.config.getoption
    needs_extra = item.get_closest_marker("extra") is not None
    may_skip = needs_extra if option("--only-extras-skip") else True
    if report.skipped and (option("--no-skips") or not may_skip):
        report.outcome = "failed"
        report.longrepr = f"skipped: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    with turn(alone=item.get_closest_marker("alone") is not None):
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def _waiting_only_where_it_must():
    from idle import wait_for_the_loop_only

    with pytest.MonkeyPatch.context() as patch:
        compile_each_kernel_once(patch)
        wait_for_the_loop_only(patch)
        yield


@pytest.fixture(scope="session")
def scikit_learn():
    """Loaded by those who compare with it only: each worker reads all files of tests."""
    import sklearn.linear_model
    import sklearn.metrics

    return sklearn


@pytest.fixture(scope="session")
def atlanta():
    """The whole Atlanta replay as one block."""
    from macro_engine.stream.opening import open_stream
    from macro_engine.stream.table import Rejections
    from macro_tui.replays import find_recording

    opened = open_stream([find_recording("airline-ATL.parquet")])
    return next(opened.reader(Rejections()).blocks())


class FinishedRun:
    """What a finished `macro-tui replay --headless` left behind."""

    def __init__(self, folder: Path) -> None:
        import polars as pl

        self.summary = json.loads((folder / "summary.json").read_text())
        self.predictions = pl.read_parquet(folder / "predictions.parquet")
        self.trace = pl.read_parquet(folder / "trace.parquet")


@pytest.fixture(scope="session")
def atlanta_run(tmp_path_factory):
    """The whole Atlanta replay, run as a user runs it."""
    import contextlib
    import io

    from macro_tui.cli import main

    folder = tmp_path_factory.mktemp("atlanta")
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        code = main(
            [
                "replay",
                "airline-ATL.parquet",
                "--headless",
                "--json",
                "--predictions",
                str(folder / "predictions.parquet"),
                "--trace",
                str(folder / "trace.parquet"),
            ]
        )
    assert code == 0
    (folder / "summary.json").write_text(output.getvalue())
    return FinishedRun(folder)
