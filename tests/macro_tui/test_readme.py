"""README's commands for one's own data do what they say."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from macro_tui.cli import main

ROOT = Path(__file__).parents[2]


def own_data_block():
    section = (ROOT / "README.md").read_text().split("## Your own data")[1]
    block = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    return [shlex.split(line, comments=True) for line in block[1].splitlines()]


@pytest.mark.slow
def test_the_block_for_ones_own_data_works_as_typed(tmp_path, monkeypatch, capsys):
    (tmp_path / "replays").symlink_to(ROOT / "replays")
    monkeypatch.chdir(tmp_path)
    lines = own_data_block()
    assert len(lines) >= 9
    for command, *words in lines:
        if command == "cp":
            shutil.copy(*words)
            continue
        assert command == "macro-tui"
        assert main(words) == 0, capsys.readouterr().err
    assert {"flights.toml", "predictions.parquet", "trace.csv", "flights.run", "out"} <= {
        path.name for path in tmp_path.iterdir()
    }
