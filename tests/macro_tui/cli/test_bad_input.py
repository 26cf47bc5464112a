"""A user's mistake gets one line that says what, where and what to do; never a traceback."""

import gzip

import polars as pl
import pytest

from macro_tui.cli import main

GOOD = "t,a,y\n2020-01-01,1,p\n2020-01-02,2,q\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run a command in a folder with the given files; returns exit code and standard error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments, **files):
        for name, content in files.items():
            data = content.encode() if isinstance(content, str) else content
            (tmp_path / name.replace("_", ".")).write_bytes(data)
        code = main(["replay", *arguments])
        out, err = capsys.readouterr()
        assert out == ""
        return code, err

    return run


def last_line(err):
    return err.rstrip("\n").splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "files", "says"),
    [
        (["none.csv"], {}, "none.csv: no such file, and no shipped replay of that name"),
        (["."], {}, ". is a folder"),
        (["d.csv"], {"d_csv": ""}, "d.csv is empty"),
        (["d.csv"], {"d_csv": "t,a,y\n"}, "d.csv: there are columns, but no rows"),
        (["d.parquet"], {"d_parquet": "hello"}, "d.parquet is not a readable Parquet file"),
        (["d.csv"], {"d_csv": b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"}, "d.csv is not text: it holds NUL bytes"),
        (["d.csv", "--label", "z"], {"d_csv": GOOD}, "--label: d.csv has no column 'z'"),
        (["d.csv", "--features", "aa"], {"d_csv": GOOD}, "no column 'aa', did you mean 'a'? It has: t, a, y"),
        (["d.csv", "--label", "a >"], {"d_csv": GOOD}, "the label rule 'a >' does not parse"),
        (["d.csv", "--label", "a > b"], {"d_csv": GOOD}, "'b' is not a number"),
        (["d.csv"], {"d_csv": "a,b\n1,p\n2,p\n"}, "d.csv: which column is the label?"),
        (["d.csv", "--label", "y"], {"d_csv": "a,y\n1,p\n2,p\n"}, "d.csv, column 'y': one class only ('p')"),
        (["d.csv", "--features", "a", "--missing", "reject"], {"d_csv": "a,y\nNaN,p\nx,q\n"}, "none of 2 rows can be used; the first: d.csv, line 2, column 'a': is missing"),
        (["d.csv", "--subroutine", "forest"], {"d_csv": GOOD}, "unknown subroutine 'forest'"),
        (["d.csv", "--subroutine", "river:tree.Oak()"], {"d_csv": GOOD}, "river.tree has no model 'Oak'"),
        (["d.csv", "--distance", "feature"], {"d_csv": GOOD}, "--distance: 'feature' is unknown, did you mean 'features'?"),
        (["d.csv", "--metric", "auc"], {"d_csv": GOOD}, "--metric: 'auc' is unknown; one of: error, logloss, balanced, precision, recall, f1"),
        (["d.csv", "--class", "r"], {"d_csv": GOOD}, "--class: there is no class 'r'; there are p, q"),
        (["d.csv", "--thresholds", ".1,x"], {"d_csv": GOOD}, "--thresholds: 'x' is not a number"),
        (["d.csv"], {"d_csv": GOOD, "d_toml": "histroy = 3"}, "d.toml: unknown key 'histroy', did you mean 'history'?"),
        (["d.csv", "--config", "no.toml"], {"d_csv": GOOD}, "no.toml cannot be read: No such file or directory"),
        (["d.csv"], {"d_csv": gzip.compress(GOOD.encode() * 99)[:60]}, "d.csv cannot be read to its end"),
        (["d.csv", "e.csv", "--label", "y"], {"d_csv": GOOD, "e_csv": "t,y\n2020-01-03,p\n"}, "--features: e.csv has no column 'a'"),
        (["d.csv", "--distance", "features", "--categorical", "a", "--features", ""], {"d_csv": GOOD}, "needs at least one numeric column"),
        (["d.csv", "--every", "1h", "--time", "a"], {"d_csv": "a,b,y\nx,1,p\n"}, "column 'a': 'x' is not a time (ISO 8601; see --time-format)"),
    ],
)  # fmt: skip
def test_it_is_answered_in_one_line(run, arguments, files, says):
    code, err = run(*arguments, **files)
    assert code in (1, 2)
    assert says in last_line(err)
    assert last_line(err).startswith("macro-tui replay: ")
    assert "Traceback" not in err


def test_an_unknown_option_is_bad_usage(run):
    code, err = run("d.csv", "--treshold", ".1", d_csv=GOOD)
    assert code == 2
    assert "macro-tui replay: '--treshold' is unknown, did you mean '--thresholds'?" in err


def test_an_unknown_command_is_bad_usage(capsys):
    assert main(["repaly", "d.csv"]) == 2
    assert "macro-tui repaly: is not a command, did you mean 'replay'?" in capsys.readouterr().err


def test_rows_that_cannot_be_used_are_counted_with_lines_and_reasons(run):
    text = "t,a,y\n2020-01-01,1,p\n2020-01-02,x,q\n2020-01-02,inf,q\n2020-01-03,,q\nsoon,1,p\n2020-01-03,2\n2020-01-04,3,q\n"
    code, err = run("d.csv", "--features", "a", "--time", "t", "--missing", "reject", d_csv=text)
    assert code == 0
    for line in (
        "rejected: d.csv, line 3, column 'a': 'x' is not a number",
        "rejected: d.csv, line 4, column 'a': 'inf' is not a finite number",
        "rejected: d.csv, line 5, column 'a': is missing",
        "rejected: d.csv, line 6, column 't': 'soon' is not a time (ISO 8601; see --time-format)",
        "rejected: d.csv, line 7: 2 fields, the header has 3",
        "5 rows rejected:",
        "  1 x column 'a' is not a number (line 3)",
    ):
        assert line in err.splitlines()


def test_parquet_rows_are_named_by_their_number(run, tmp_path):
    pl.DataFrame({"a": [1.0, None, 3.0, float("nan")], "y": ["p", "q", "q", "p"]}).write_parquet(
        tmp_path / "d.parquet"
    )
    code, err = run("d.parquet", "--missing", "reject")
    assert code == 0
    assert "rejected: d.parquet, row 2, column 'a': is missing" in err
    assert "rejected: d.parquet, row 4, column 'a': 'nan' is not a finite number" in err


def test_control_characters_never_reach_the_terminal(run):
    evil = "\x1b]0;owned\x07\x1b[2J"
    text = f"a{evil},y\n1,p\n2,q{evil}\nx{evil},p\n"
    for arguments in (
        ["d.csv"],
        ["d.csv", "--label", "z"],
        ["d.csv", "--classes", "p,r", "--label", "y"],
    ):
        _code, err = run(*arguments, d_csv=text)
        assert "\x1b" not in err
        assert "\x07" not in err
        assert "\\x1b" in err


def test_a_model_that_fails_is_named_with_the_line_that_failed(run, tmp_path):
    (tmp_path / "own.py").write_text(
        "class Own:\n    def predict_one(self, x):\n        return x['nothing']\n    def learn_one(self, x, y): ...\n"
    )
    code, err = run("d.csv", "--subroutine", "python:own:Own", d_csv=GOOD)
    assert code == 1
    assert (
        "the subroutine python:own:Own failed in the steps from 0: KeyError: 'nothing'"
        in last_line(err)
    )
    assert "own.py, line 3" in last_line(err)


def test_settings_from_a_file_run_no_code(run, tmp_path):
    (tmp_path / "own.py").write_text("open('executed', 'w')\n")
    for subroutine in ("python:own:Own", "river:own.Own()", "river:__import__('own')"):
        code, _err = run("d.csv", d_csv=GOOD, d_toml=f'subroutine = "{subroutine}"')
        assert code == 2
    assert not (tmp_path / "executed").exists()


def test_a_model_that_answers_what_it_was_never_told_is_named(run, tmp_path):
    (tmp_path / "odd.py").write_text(
        "class Odd:\n    def predict_one(self, x): return 'banana'\n    def learn_one(self, x, y): ...\n"
    )
    code, err = run("d.csv", "--subroutine", "python:odd:Odd", d_csv=GOOD)
    assert code == 1
    assert "the model Odd answered 'banana', which is none of the labels" in last_line(err)


def test_a_model_that_leaves_the_program_has_failed(run, tmp_path):
    (tmp_path / "quits.py").write_text("def quits(): raise SystemExit(3)\n")
    code, err = run("d.csv", "--subroutine", "python:quits:quits", d_csv=GOOD)
    assert code == 1
    assert "failed in the steps from 0: SystemExit: 3" in last_line(err)


@pytest.mark.parametrize(
    "toml", ['delimiter = [","]', f"thresholds = [{'9' * 400}]", "history = 99999999999999999999"]
)
def test_odd_values_in_a_toml_are_refused(run, toml):
    code, err = run("d.csv", d_csv=GOOD, d_toml=toml)
    assert code == 2
    assert "d.toml: " in last_line(err)


@pytest.mark.slow
def test_a_device_that_is_full_is_said_in_one_line(tmp_path):
    import subprocess
    import sys

    (tmp_path / "d.csv").write_text(GOOD)
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "macro_tui", "inspect", tmp_path / "d.csv"],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "macro-tui inspect: cannot write: No space left on device\n"


def test_a_file_of_rows_that_are_all_unusable_is_inspected_with_the_reason(tmp_path, capsys):
    pl.DataFrame(
        {"x": [None, None], "label": ["a", "b"]}, schema_overrides={"x": pl.Float64}
    ).write_parquet(tmp_path / "d.parquet")
    options = ["--label", "label == 'a'", "--missing", "reject", "--features", "x"]
    assert main(["inspect", str(tmp_path / "d.parquet"), *options]) == 0
    assert "none of 2 rows can be used" in capsys.readouterr().out
