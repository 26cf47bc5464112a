"""The commands of the tutorial do what it says."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from macro_tui.cli import main

ROOT = Path(__file__).parents[2]


def tutorial_commands():
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "docs" / "tutorial.md").read_text(), re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("awk") is None, reason="awk is not installed")
def test_the_tutorial_works_as_typed_and_shows_what_it_says(tmp_path, monkeypatch, capsys):
    (tmp_path / "replays").symlink_to(ROOT / "replays")
    monkeypatch.chdir(tmp_path)
    said = {}
    for line in tutorial_commands():
        if line.startswith("macro-tui "):
            assert main(shlex.split(line)[1:]) == 0, capsys.readouterr().err
        else:
            subprocess.run(line, shell=True, check=True)
        said[line] = "".join(capsys.readouterr())
    text = (ROOT / "docs" / "tutorial.md").read_text()
    first = said["macro-tui replay flights.csv --label 'delay > 15'"]
    for block in re.findall(r"```\n((?:guessed|  ).*?)```", text, re.DOTALL):
        assert [line for line in block.splitlines() if line.strip() not in _lines(first)] == []
    assert "did the same in every step" in said[next(c for c in said if "--history 1" in c)]
    assert "'status': left out" in said["macro-tui replay leak.csv --label 'delay > 15'"]
    whole = said["macro-tui replay airline-ATL.parquet --blend"]
    assert all(error in whole for error in ("18.69%", "16.87%", "14.64%"))


def _lines(text):
    """The lines as they are, and without their last columns."""
    return {line.strip() for line in text.splitlines()} | {
        line.removesuffix("subroutines").strip() for line in text.splitlines()
    }
