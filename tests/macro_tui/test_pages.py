"""The pages of the documentation: every command on them works, every link leads somewhere."""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest
from made_sessions import write_stream

from macro_engine.core.extras import FOR_DEVELOPERS
from macro_tui.cli import COMMANDS, main, parser_of

ROOT = Path(__file__).parents[2]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), ROOT / "replays" / "README.md"])
# the beginning of a command, and why no test types it
NOT_TYPED = {
    "python3 -m venv": "needs a network; .ci/run types it",
    ".venv/bin/macro-tui demo": "tests/macro_tui/test_demo.py",
    "pip install": "needs a network",
    "python replays/cut.py": "needs data that do not ship",
    "python -c": "needs data that do not ship",
    "macro-tui prepare": "needs data that do not ship",
    "macro-tui reproduce": "needs data that do not ship, or hours",
    "macro-tui replay atl-2007.parquet": "needs data that do not ship",
    "macro-tui replay DIR/": "needs data that do not ship",
    "macro-tui tail kafka://": "needs a network",
    "macro-tui fleet": "tests/macro_tui/cli/test_fleet.py",
    "dask ": "needs a network",
    "macro-tui bench": "a benchmark",
    "macro-tui replay airline-ATL --distance busy": "tests/test_plugins.py",
    "macro-tui tail wave:": "tests/test_plugins.py",
    "macro-tui serve": "tests/macro_tui/cli/test_serve.py",
    "ssh ": "tests/macro_tui/test_over_ssh.py",
    "tmux ": "needs a service",
    "command=": "tests/macro_tui/test_over_ssh.py",
    "eval ": "tests/macro_tui/cli/test_shell_comfort.py",
    "macro-tui completion": "tests/macro_tui/cli/test_shell_comfort.py",
    "macro-tui demo": "tests/macro_tui/test_demo.py",
}
WATCHED = ("watch", "wall")  # they need a screen; their options are read here
TYPED_ELSEWHERE = ("tutorial.md",)  # tests/macro_tui/test_tutorial.py reads what it shows, too
_STARTS = ("macro-tui", "ssh ", "producer", "tmux ", "command=", "python", "pip ", "cp ", "awk ")
_STARTS += (".venv/", "eval ", "dask ")


def commands_of(page):
    """The lines of its blocks that are typed, without comments, in order."""
    text = page.read_text()
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    plain = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    lines += [found.strip() for found in re.findall(r"(?m)^ {4}(\S.*)$", plain)]
    lines = [re.sub(r"\s+# .*", "", line) for line in lines]
    return [line for line in lines if line.startswith(_STARTS)]


def is_left_out(line):
    return any(line.startswith(beginning) for beginning in NOT_TYPED)


def test_what_is_left_out_is_on_a_page():
    """So that the list does not outlive what it speaks of."""
    every = [line for page in PAGES for line in commands_of(page)]
    unused = [key for key in NOT_TYPED if not any(line.startswith(key) for line in every)]
    assert set(unused) <= {"macro-tui reproduce", "macro-tui fleet", "dask ", "macro-tui bench"} | {
        "macro-tui prepare",
        "macro-tui replay atl-2007.parquet",
        "macro-tui replay DIR/",
        "macro-tui demo",
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """One folder for all pages: what one of them wrote may be there for the next."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "replays").symlink_to(ROOT / "replays")
    shutil.copy(ROOT / "replays" / "flights-small.csv", folder / "flights.csv")
    (folder / "flights.toml").write_text('label = "delay > 15"\n')
    write_stream(folder / "ops.csv")
    (folder / "ops.toml").write_text('label = "label"\n')
    (folder / "mail-the-operator").write_text("#!/bin/sh\ncat > /dev/null\n")
    (folder / "mail-the-operator").chmod(0o755)
    words = ["replay", str(folder / "ops.csv"), "--headless", "--run", str(folder / "watched.run")]
    assert main(words) == 0
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_every_command_works_as_typed(page, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    typed = set()
    for line in commands_of(page):
        if is_left_out(line) or page.name in TYPED_ELSEWHERE or line in typed:
            continue
        typed.add(line)
        line = line.replace("/var/log/flights/", "").replace("/var/lib/macro-tui", ".")
        words = shlex.split(line)
        if words[0] == "cp":
            shutil.copy(words[1], words[2])
        elif words[1] in WATCHED or words[0] == "producer":
            parser_of(words[words.index("macro-tui") + 1]).parse_args(
                words[words.index("macro-tui") + 1 :]
            )
        elif words[1] == "tail":
            tail(words[1:], folder)
        elif words[1] == "feed":
            for old in folder.glob(f"{Path(words[words.index('--to') + 1]).stem}.*"):
                old.unlink()
            assert main([*words[1:-2], "--speed", "max"]) == 0, capsys.readouterr().err
        else:
            assert words[0] == "macro-tui", line
            resumed = [w for w in words if w.endswith(".run")] if words[1] == "replay" else []
            for name in resumed:
                (folder / name).unlink(missing_ok=True)
            if words[1] == "export" and not (folder / words[2]).exists():
                shutil.copy(folder / "watched.run", folder / words[2])
            if "--check" in words and not (folder / words[-1]).exists():
                shutil.copy(folder / "watched.run", folder / words[-1])
            shutil.rmtree(folder / "out", ignore_errors=True)
            assert main(words[1:]) == 0, f"{line}: {capsys.readouterr().err}"


def tail(words, folder):
    """Runs a tail until it follows, then stops it as a service is stopped."""
    for old in folder.glob("ops.run*"):
        old.unlink()
    if not (folder / words[1]).exists():
        shutil.copy(folder / "flights.csv", folder / words[1])
        shutil.copy(folder / "flights.toml", (folder / words[1]).with_suffix(".toml"))
    words = [*words, *([] if "--headless" in words else ["--headless"])]
    command = [sys.executable, "-m", "macro_tui", *words]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 40
        while not (folder / "ops.run").exists() and process.poll() is None:
            assert time.monotonic() < end
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said


def anchors(page):
    """What the headings of a page are called in links."""
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"```.*?```", "", page.read_text(), flags=re.S))
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_every_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
        path, _, anchor = target.partition("#")
        if not target.startswith("http"):
            assert (page.parent / path).exists(), f"{page.name} -> {target}"
            assert not anchor or anchor in anchors(page.parent / path if path else page), target


def test_every_page_is_in_the_index():
    index = (ROOT / "docs" / "index.md").read_text()
    assert [page.name for page in PAGES if page.name not in index and page.parent != ROOT] == [
        "index.md"
    ]


def test_the_index_names_every_command_and_every_extra():
    index = (ROOT / "docs" / "index.md").read_text()
    for name, what in COMMANDS.items():
        assert f"| `{name}` | {what} |" in index
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for extra in project["optional-dependencies"].keys() - set(FOR_DEVELOPERS):
        assert f"| `{extra}` |" in index


def test_the_readme_is_one_page():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 100


@pytest.mark.slow
def test_the_example_of_the_readme_gives_what_it_says(capsys):
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    exec(compile(block, "README.md", "exec"), {})
    assert capsys.readouterr().out.split("\n")[:2] == re.findall(r"# (Accuracy: .*)", block)


def test_the_picture_is_small_and_moves():
    picture = ROOT / "docs" / "monitor.svg"
    assert picture.stat().st_size < 520_000
    text = picture.read_text()
    assert text.count("<animate ") > 50
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
