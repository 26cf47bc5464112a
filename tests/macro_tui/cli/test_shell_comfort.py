"""Completion, versions, the doctor, and what --help says."""

import argparse
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from programs import needs_fish, needs_zsh
from terminals import Terminal
from textual.theme import BUILTIN_THEMES

from macro_engine.core import extras
from macro_engine.core.cache_folder import cache_folder
from macro_tui import checkup
from macro_tui.checkup import check_up
from macro_tui.cli import COMMANDS, main, parser_of, parser_of_command
from macro_tui.cli.screen import THEMES

BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_macro_tui
printf '%s\\n' "${COMPREPLY[@]}"
"""


def marked(marks):
    def mark(test):
        for one in marks:
            test = one(test)
        return test

    return mark


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("completion")
    for shell in ("bash", "zsh", "fish"):
        script = folder / f"macro-tui.{shell}"
        text = subprocess.run(
            [sys.executable, "-m", "macro_tui", "completion", shell],
            check=True,
            capture_output=True,
        ).stdout
        script.write_bytes(text)
    return folder


def by_bash(scripts, *words):
    command = ["bash", "-c", BASH, "-", str(scripts / "macro-tui.bash"), *words]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return said.splitlines()


def by_fish(scripts, line):
    command = f"source {scripts / 'macro-tui.fish'}; complete -C'{line}'"
    said = subprocess.run(["fish", "-c", command], check=True, capture_output=True, text=True)
    return [found.split("\t")[0] for found in said.stdout.splitlines()]


@pytest.mark.slow
def test_bash_completes_commands_options_values_and_replays(scripts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("flights.csv").touch()
    Path("my runs").mkdir()
    Path("my runs", "a.csv").touch()
    assert by_bash(scripts, "macro-tui", "repl") == ["replay"]
    assert by_bash(scripts, "macro-tui", "replay", "--dist") == ["--distance"]
    assert "features" in by_bash(scripts, "macro-tui", "replay", "--distance", "")
    assert by_bash(scripts, "macro-tui", "replay", "airline-A") == ["airline-ATL.parquet"]
    assert by_bash(scripts, "macro-tui", "tail", "fl") == ["flights.csv"]
    assert by_bash(scripts, "macro-tui", "export", "a.run", "--format", "c") == ["csv"]
    assert by_bash(scripts, "macro-tui", "replay", "--clock", "of") == ["off"]
    assert by_bash(scripts, "macro-tui", "watch", "--theme", "no") == ["nord"]
    assert by_bash(scripts, "macro-tui", "replay", "--label", "") == [""]
    assert by_bash(scripts, "macro-tui", "replay", "--config", "f") == ["flights.csv"]
    airport = ["macro-tui", "prepare", "airline", "--airport", "A"]
    assert by_bash(scripts, *airport) == ["ATL"]
    for typed in ("my\\ runs/", '"my runs/'):
        assert by_bash(scripts, "macro-tui", "tail", typed) == ["my runs/a.csv"]


def test_every_theme_that_is_completed_exists():
    assert set(THEMES) <= set(BUILTIN_THEMES)


@marked(needs_fish)
def test_fish_completes_them_too(scripts):
    assert by_fish(scripts, "macro-tui repl") == ["replay"]
    assert "--distance" in by_fish(scripts, "macro-tui replay --dist")
    assert by_fish(scripts, "macro-tui export a.run --format ") == ["csv", "parquet"]


@marked(needs_zsh)
def test_zsh_completes_them_too(scripts):
    script = scripts / "macro-tui.zsh"
    with Terminal(command=["zsh", "-f", "-i"], env={"TERM": "dumb"}) as terminal:
        terminal.send(f"ZDOTDIR={scripts}; source {script}\n")  # it loads compinit if need be
        terminal.send("echo rea''dy\n")
        terminal.wait_for("ready")
        for typed, whole in (
            ("macro-tui repl", "macro-tui replay"),
            ("macro-tui replay x --dist", "--distance"),
            ("macro-tui export a.run --format c", "--format csv"),
            ("macro-tui replay airline-A", "airline-ATL.parquet"),
        ):
            terminal.send(f"{typed}\t")
            terminal.wait_for(whole, seconds=20)
            terminal.send("\x15")
    assert b"bad option" not in terminal.received


def test_the_version_names_what_it_stands_on(capsys):
    assert main(["--version"]) == 0
    said = capsys.readouterr().out
    for name in ("macro-tui 0.2.0", "Python 3", "numba", "numpy", "polars", "river", "textual"):
        assert name in said


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_and_has_an_example_that_is_understood(name, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    assert main([name, "--help"]) == 0
    said = capsys.readouterr().out
    assert [line for line in said.splitlines() if len(line) > 80] == []
    assert "for example:" in said
    assert f"macro-tui {name}" in said.split("for example:")[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_help_says_what_each_argument_is_and_its_default(name):
    unsaid = (None, False, True, [], argparse.SUPPRESS)
    for action in parser_of_command(name)._actions:
        is_told = isinstance(action, argparse._SubParsersAction) or action.help
        assert is_told, f"{name} {action.dest}"
        if action.option_strings and action.default not in unsaid:
            assert "default" in action.help, f"{name} {action.dest}"


def test_a_parser_has_the_arguments_of_one_command_only():
    parser = parser_of("export")
    assert parser.parse_args(["export", "a.run", "--to", "out"]).format == "parquet"


def findings(environment=None, is_terminal=True):
    found = check_up(environment or {"TERM": "xterm-256color"}, is_terminal)
    return {finding.what: finding for finding in found}


def test_the_doctor_finds_nothing_amiss_in_a_sound_terminal(capsys):
    bad = {w: f for w, f in findings().items() if f.state == "bad"}
    assert bad == {}
    assert main(["doctor"]) == 0
    assert "7 shipped recordings" in capsys.readouterr().out


@pytest.mark.parametrize("term", ["", "dumb"])
def test_the_doctor_says_what_to_do_without_a_kind_of_terminal(term):
    finding = findings({"TERM": term})["terminal"]
    assert (finding.state, "export TERM=xterm" in finding.cure) == ("bad", True)


def test_the_doctor_sees_a_small_window(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("LINES", "20")
    assert (findings()["size"].state, findings()["size"].found) == ("odd", "60x20")


def test_the_doctor_sees_a_locale_that_is_not_utf8(monkeypatch):
    class Latin:
        encoding = "iso-8859-1"

    monkeypatch.setattr(sys, "__stdout__", Latin())
    finding = findings()["characters"]
    assert finding.state == "odd"
    assert "ASCII" in finding.found
    assert "LC_ALL" in finding.cure


@pytest.mark.parametrize(
    ("name", "value", "state", "found"),
    [
        ("LC_ALL", "C", "odd", "the locale is 'C'"),
        ("TERM", "linux", "ok", "of the kind 'linux'"),
        ("LC_ALL", "C.UTF-8", "ok", "UTF-8"),
    ],
)
def test_the_doctor_says_of_characters_what_screens_do(name, value, state, found, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    finding = findings()["characters"]
    assert (finding.state, found in finding.found) == (state, True), finding


def test_the_doctor_sees_colours():
    assert findings({"TERM": "linux"})["colours"].found.startswith("16")
    assert findings({"TERM": "xterm", "COLORTERM": "truecolor"})["colours"].found.startswith("full")
    assert "NO_COLOR" in findings({"TERM": "xterm", "NO_COLOR": "1"})["colours"].found


def test_the_doctor_sees_a_disk_that_is_full_and_one_that_is_not_local(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    mounts = tmp_path / "mounts"
    mounts.write_text(f"disk / ext4 rw 0 0\nserver:/home {tmp_path} nfs4 rw 0 0\n")
    monkeypatch.setattr(checkup, "_MOUNTS", mounts)
    assert "local disk" in findings()["working folder"].cure
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: shutil._ntuple_diskusage(1, 1, 1))
    assert "make room" in findings()["working folder"].cure


def test_the_doctor_sees_that_others_can_write_to_the_cache(monkeypatch, tmp_path):
    tmp_path.chmod(0o777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert findings()["compiled loops"].state == "odd"


def test_the_doctor_sees_a_cache_that_is_damaged_and_one_without_room(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert findings()["compiled loops"].found.startswith("none yet")
    (cache_folder() / "kernels").mkdir()
    kept = cache_folder() / "kernels" / "loop.nbi"
    kept.write_bytes(b"code" + hashlib.sha256(b"code").digest())
    assert findings()["compiled loops"] == checkup.Finding(
        "ok", "compiled loops", f"in {cache_folder()}"
    )
    monkeypatch.setattr(shutil, "disk_usage", lambda _place: shutil._ntuple_diskusage(1, 1, 1))
    assert "make room" in findings()["compiled loops"].cure
    kept.write_bytes(b"cod")
    assert "1 damaged file" in findings()["compiled loops"].found


def test_an_extra_that_is_missing_is_named_with_the_command(monkeypatch):
    monkeypatch.setattr(checkup, "installed", lambda _name: "")
    finding = findings()["extra metrics"]
    assert finding.found == "not installed"
    assert "prometheus-client" in finding.cure


@pytest.mark.parametrize(
    ("files", "prefix", "active", "begins"),
    [
        ((), "/home/me/project/.venv", "/home/me/project/.venv", "pip install "),
        ((), "/home/me/project/.venv", None, f"{sys.executable} -m pip install "),
        (("pipx_metadata.json",), "", None, "pipx inject macro-tui "),
        (("uv-receipt.toml",), "", None, f"uv pip install --python {sys.executable} "),
        ((), "/home/me/.cache/uv/archive-v0/abc", None, "uvx --with "),
    ],
    ids=["active", "not active", "pipx", "uv tool", "uvx"],
)
def test_the_hint_works_from_where_the_user_is(
    files, prefix, active, begins, tmp_path, monkeypatch
):
    for name in files:
        (tmp_path / name).touch()
    monkeypatch.setattr(sys, "prefix", prefix or str(tmp_path))
    monkeypatch.setenv("VIRTUAL_ENV", active or "")
    command = extras.how_to_install("metrics")
    assert command.startswith(begins)
    assert "'prometheus-client<1,>=0.20'" in command


def test_an_environment_without_pip_is_installed_into_by_uv(monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda _name: None)
    assert extras.how_to_install("vw").startswith("uv pip install")
