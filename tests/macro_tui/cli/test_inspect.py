import json
import shlex
import tomllib

import pytest
from made_runs import write_stream

from macro_tui.cli import main

TEXT = "when;temp;place;late\n" + "".join(
    f"2020-01-01 {i // 60:02}:{i % 60:02};{i % 9},5;{'abc'[i % 3]};{'yn'[i % 4 == 0]}\n"
    for i in range(120)
)


def inspect(tmp_path, capsys, *options, text=TEXT):
    path = tmp_path / "d.csv"
    path.write_text(text)
    code = main(["inspect", str(path), *options])
    return code, *capsys.readouterr()


def test_it_shows_what_would_be_read(tmp_path, capsys):
    code, out, _err = inspect(tmp_path, capsys, "--every", "10m")
    assert code == 0
    for text in (
        "delimiter ';' sniffed",
        "decimal ',' sniffed",
        "time: when, ISO 8601",
        "from 2020-01-01T00:00:00 to 2020-01-01T01:59:00",
        "label: late",
        "feature: temp, scaled by its running mean and deviation",
        "category: place, 3 values: a, b, c",
        "n: 30 rows (25.0%)",
        "y: 90 rows (75.0%)",
        "12 steps of 10m, 120 rows: 10 to 10 a step",
        "0,5",
    ):
        assert text in out
    settings = {line.split()[0]: line.split()[-1] for line in out.splitlines() if line.strip()}
    assert settings["every"] == "line"
    assert settings["label"] == "inferred"


def test_what_it_writes_is_what_replay_then_uses(tmp_path, capsys):
    assert inspect(tmp_path, capsys, "--every", "10m", "--history", "3", "--write")[0] == 0
    code, out, _ = inspect(tmp_path, capsys)
    assert code == 0
    assert "inferred" not in out
    assert "sniffed" not in out
    assert "12 steps of 10m" in out


def test_a_class_that_the_first_rows_lack_is_named(tmp_path, capsys):
    text = "a,fraud\n" + "".join(f"{i % 7},{int(i == 600)}\n" for i in range(700))
    code, out, _err = inspect(tmp_path, capsys, text=text)
    assert code == 0
    assert "1: 1 row (0.1%)" in out
    assert out.splitlines()[-1].endswith("--label fraud --classes 0,1")
    assert main([*shlex.split(out.splitlines()[-1])[1:], "--headless", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == ["0", "1"]


def test_it_does_not_overwrite_what_is_there(tmp_path, capsys):
    (tmp_path / "d.toml").write_text("# mine\n")
    code, _out, err = inspect(tmp_path, capsys, "--write")
    assert code == 1
    assert "d.toml exists already" in err
    assert (tmp_path / "d.toml").read_text() == "# mine\n"


def test_it_does_not_write_beside_a_shipped_replay(capsys):
    assert main(["inspect", "airline-IAH.parquet", "--write"]) == 1
    assert "is a shipped replay and nothing is written beside it" in capsys.readouterr().err


def test_text_from_the_file_is_shown_with_its_control_characters_visible(tmp_path, capsys):
    _code, out, _err = inspect(tmp_path, capsys, text="a\x1b[2J,y\n1,p\x07\n2,q\n")
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "a\\x1b[2J" in out


def command_of(out):
    lines = out.splitlines()
    return lines[lines.index("Command") + 1].strip()


def test_every_column_has_type_range_values_missing_share_role_and_why(tmp_path, capsys):
    lines = "".join(f"{i % 50 / 2},{'' if i % 4 else 'xy'[i % 8 > 3]},{i},k\n" for i in range(120))
    _code, out, _err = inspect(tmp_path, capsys, text="temp,place,nr,y\n" + lines)
    rows = {line.split()[0]: line.split("  ") for line in out.splitlines() if line.startswith("  ")}
    cells = {name: [cell.strip() for cell in row if cell.strip()] for name, row in rows.items()}
    assert cells["temp"] == ["temp", "feature", "number", "0 to 24.5", "50", "0.0%", "numbers"]
    assert cells["place"][1:6] == ["left out", "text", "x, y", "2", "75.0%"]
    assert cells["nr"][1:] == [
        "left out", "whole number", "0 to 119", "120", "0.0%", "it counts the rows"
    ]  # fmt: skip
    assert cells["y"][1:] == ["label", "text", "k", "1", "0.0%", "by its name"]


def test_a_label_that_cannot_be_guessed_is_proposed_in_a_command_that_runs(tmp_path, capsys):
    text = "a b,it's\n" + "".join(f"{i % 50},{i * 7 % 60}\n" for i in range(120))
    code, out, _err = inspect(tmp_path, capsys, text=text)
    assert code == 0
    assert "which column is the label?" in out
    _program, *words = shlex.split(command_of(out))
    assert words[0] == "replay"
    assert words[2:] == ["--label", "it's > 29.5"]
    assert main([*words, "--headless"]) == 0


ROWS = "".join(f"{i * 7 % 60 / 2},{i % 50},{'red' if i % 3 else 'blue'}\n" for i in range(120))


@pytest.mark.parametrize(
    ("text", "columns", "says"),
    [
        (ROWS, "c1,c2,c3", "this looks like data, not like the names of columns"),
        ("a,a,label\n" + ROWS, "a,a_2,label", "2 columns are called 'a'"),
    ],
)
def test_columns_without_names_of_their_own_are_shown_with_a_command_that_runs(
    tmp_path, capsys, text, columns, says
):
    code, out, _err = inspect(tmp_path, capsys, text=text)
    assert code == 0
    assert says in out
    for name in columns.split(","):
        assert f"\n  {name}  " in out
    _program, *words = shlex.split(command_of(out))
    assert words[-2:] == ["--columns", columns]
    assert main([*words, "--headless", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["rows"], result["rejected"]) == (120, 0)


def test_times_that_are_ambiguous_and_one_class_only_are_shown_with_what_is_missing(
    tmp_path, capsys
):
    lines = "".join(f"0{1 + i // 60}/02/2024,{i % 9},0\n" for i in range(120))
    code, out, _err = inspect(tmp_path, capsys, text="when,a,y\n" + lines)
    assert code == 0
    assert "month first or day first" in out
    assert command_of(out).endswith("--time when --label y --time-format %m/%d/%Y")
    code, out, _err = inspect(
        tmp_path, capsys, "--time-format", "%m/%d/%Y", "--write", text="when,a,y\n" + lines
    )
    assert code == 0
    assert "What is missing" in out
    assert "one class only" in out
    written = tomllib.loads((tmp_path / "d.toml").read_text())
    assert (written["label"], written["time"], written["features"]) == ("y", "when", ["a"])


def test_what_is_written_without_a_label_leaves_room_for_any(tmp_path, capsys):
    text = "a,b\n" + "".join(f"{i % 50},{i * 7 % 60}\n" for i in range(120))
    assert inspect(tmp_path, capsys, "--write", text=text)[0] == 0
    assert "features" not in tomllib.loads((tmp_path / "d.toml").read_text())
    assert main(["replay", str(tmp_path / "d.csv"), "--label", "a > 9", "--headless"]) == 0


def test_scale_and_missing_are_written_too(tmp_path, capsys):
    assert inspect(tmp_path, capsys, "--write")[0] == 0
    written = tomllib.loads((tmp_path / "d.toml").read_text())
    assert (written["scale"], written["missing"]) == ("running", "mean")


def test_times_that_run_backwards_are_counted_in_the_whole_recording(tmp_path, capsys):
    days = [*range(1, 25), 3, *range(25, 29), 2]
    lines = "".join(f"2024-02-{day:02},{i % 9},{i % 2}\n" for i, day in enumerate(days))
    _code, out, _err = inspect(tmp_path, capsys, text="when,a,y\n" + lines)
    assert "2 rows lie before the row above; --sort puts them in order" in out
    _code, out, _err = inspect(tmp_path, capsys, "--sort", text="when,a,y\n" + lines)
    assert "lie before" not in out
    assert command_of(out).endswith("--time when --label y --sort")


@pytest.mark.parametrize("distance", ["labels", pytest.param("features", marks=pytest.mark.slow)])
def test_a_run_with_what_was_written_is_the_run_without(tmp_path, monkeypatch, distance):
    monkeypatch.chdir(tmp_path)
    write_stream(tmp_path / "d.csv", rows=300, garbage=0.02)
    options = ["d.csv", "--label", "b > 0.4", "--distance", distance]
    for name, command in (("one", options), ("two", ["d.csv"])):
        assert main(["replay", *command, "--headless", "--predictions", f"{name}.csv"]) == 0
        if name == "one":
            assert main(["inspect", *options, "--write"]) == 0
    written = tomllib.loads((tmp_path / "d.toml").read_text())
    assert {"scale", "missing", "clock", "history", "thresholds", "strategies"} <= written.keys()
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()
