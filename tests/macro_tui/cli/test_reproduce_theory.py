"""`macro-tui reproduce theory` as it is typed."""

import json

import pytest

from macro_tui.cli import main


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--steps", "5"], "--steps 5: write 16 or more"),
        (["--seeds", "0"], "--seeds 0: write 1 or more"),
        (["--workers", "0"], "--workers 0: write 1 or more"),
    ],
)
def test_wrong_numbers_are_named(arguments, said, capsys):
    assert main(["reproduce", "theory", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_table_and_document_say_the_same_and_the_second_start_goes_on(tmp_path, capsys):
    command = ["reproduce", "theory", "--steps", "64", "--seeds", "1", "--cache", str(tmp_path)]
    assert main([*command, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(found["cells"]) == 20
    assert {"claim", "rule", "where", "holds", "value"} == set(found["claims"][0])
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.json")}
    assert len(kept) == 19  # so short a run of score is that beside exact scoring
    assert main(command) == 0
    said = capsys.readouterr().out
    held = sum(claim["holds"] for claim in found["claims"])
    assert f"Claims: {held} of {len(found['claims'])} verdicts say yes." in said
    assert "markov, markov <= 0.5 (erm, last)" in said
    assert {path: path.stat().st_mtime_ns for path in tmp_path.glob("*.json")} == kept
