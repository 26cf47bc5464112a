"""Standard streams that are closed, as by `>&-`."""

import shlex
import subprocess
import sys

import pytest
from made_runs import write_stream
from terminals import Terminal

from macro_engine.run.store.runfile import RunReader

pytestmark = pytest.mark.slow


@pytest.fixture
def stream(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write_stream(tmp_path / "d.csv", rows=300)


def run(command, closed):
    command = f"{shlex.quote(sys.executable)} -m macro_tui {command} {closed}"
    return subprocess.run(command, shell=True, capture_output=True, text=True, check=False)


@pytest.mark.usefixtures("stream")
@pytest.mark.parametrize(
    ("command", "closed", "code", "said"),
    [
        ("inspect d.csv", ">&-", 1, "macro-tui inspect: cannot write: standard output is closed\n"),
        ("inspect d.csv", ">&- 2>&-", 1, ""),
        ("inspect d.csv", "<&- 2>&-", 0, ""),
        ("--version", ">&-", 1, "macro-tui: cannot write: standard output is closed\n"),
        ("tail - --json", "<&-", 1, "macro-tui tail: standard input cannot be read: it is closed\n"),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_a_failure_without_a_traceback(command, closed, code, said):
    done = run(command, closed)
    assert (done.returncode, done.stderr) == (code, said)


@pytest.mark.usefixtures("stream")
def test_a_run_needs_none_of_them(tmp_path):
    files = "--predictions p.csv --trace t.csv --run a.run"
    assert run(f"replay d.csv --headless {files}", "<&- >&- 2>&-").returncode == 0
    assert (tmp_path / "p.csv").read_text().startswith("row,step,time,label")
    reader = RunReader(tmp_path / "a.run")
    assert reader.info["status"] == "finished"
    reader.close()


@pytest.mark.usefixtures("stream")
def test_keys_come_from_the_terminal_where_standard_input_is_none():
    assert run("replay d.csv --headless --run a.run", "").returncode == 0
    with Terminal("watch", "a.run", stdin=subprocess.DEVNULL) as terminal:
        terminal.wait_for("the run is finished")
        terminal.send("q")
        assert terminal.wait(20)[0] == 0


def test_a_library_that_cannot_be_loaded_is_no_trouble_with_writing(tmp_path):
    failing = "def f(*_): raise OSError('no libx.so')\ncli._run = f\nsys.exit(cli.main(['replay']))"
    command = [sys.executable, "-c", f"import sys\nfrom macro_tui import cli\n{failing}"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (1, "macro-tui replay: no libx.so\n")
