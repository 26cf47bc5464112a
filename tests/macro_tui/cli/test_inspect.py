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


def test_it_does_not_overwrite_what_is_there(tmp_path, capsys):
    (tmp_path / "d.toml").write_text("# mine\n")
    code, _out, err = inspect(tmp_path, capsys, "--write")
    assert code == 1
    assert "d.toml exists already" in err
    assert (tmp_path / "d.toml").read_text() == "# mine\n"


def test_it_does_not_write_beside_a_shipped_replay(capsys):
    assert main(["inspect", "airline-IAH.parquet", "--write"]) == 1
    assert "is a shipped replay and describes itself" in capsys.readouterr().err


def test_text_from_the_file_is_shown_with_its_control_characters_visible(tmp_path, capsys):
    _code, out, _err = inspect(tmp_path, capsys, text="a\x1b[2J,y\n1,p\x07\n2,q\n")
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "a\\x1b[2J" in out
