"""Plugins: those of docs/extending.md through the command line, and broken ones."""

import json
import sys

import pytest
from made_plugins import blocks, install, install_page, macro_tui
from made_runs import run, run_until, write_stream

from macro_engine.core import plugins
from macro_engine.discrepancy import DISTANCES
from macro_engine.options.settings import Layer
from macro_engine.run.engine import Engine
from macro_engine.run.stored_stream import stored_stream
from macro_engine.strategies import STRATEGIES
from macro_engine.stream.opening import open_stream
from macro_engine.stream.source import SOURCES, origin_of
from macro_engine.subroutines import NAMED, STORABLE
from macro_tui.cli import main

STREAM = ("--time", "when", "--label", "late", "--features", "a,b", "--categorical", "place")


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Installs a package for this test alone."""
    kept = [(names, names.copy()) for names in (DISTANCES, NAMED, STRATEGIES, SOURCES)]
    storable = STORABLE.copy()
    modules = set(sys.modules)
    folder = tmp_path / "installed"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    plugins.load.cache_clear()
    yield folder
    plugins.load.cache_clear()
    for names, before in kept:
        names.clear()
        names.update(before)
    STORABLE[:] = storable
    for name in {"my_plugin", "bad_plugin"} - modules:
        sys.modules.pop(name, None)


@pytest.fixture
def page(installed):
    return install_page(installed)


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv", rows=400)


@pytest.mark.slow
def test_distance_learner_and_strategy_of_the_page_run(tmp_path, stream):
    folder = tmp_path / "installed"
    folder.mkdir()
    command = (
        "replay", stream, *STREAM, "--every", "30m", "--json", "--run", tmp_path / "a.run",
        "--distance", "busy", "--subroutine", "majority",
        "--strategies", "ftl,vote", "--strategy", "vote",
    )  # fmt: skip
    done = macro_tui(install_page(folder), *command)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [m["threshold"] for m in found["thresholds"]] == [0.1, 0.3]
    assert list(found["errors"]) == ["marginal", "no_change", "ftl", "vote"]
    assert "cannot be stored" not in done.stderr


@pytest.mark.slow
def test_the_source_of_the_page_is_tailed(tmp_path):
    folder = tmp_path / "installed"
    folder.mkdir()
    done = macro_tui(install_page(folder), "tail", "wave:900", "--every", "7", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["rows"], found["classes"]) == (900, ["no", "yes"])
    assert "label           rises" in done.stderr
    assert "wave cannot be read again" not in done.stderr


@pytest.mark.usefixtures("page")
def test_a_run_over_the_parts_of_the_page_is_resumed(tmp_path):
    def made(run_file):
        values = {"every": "7", "distance": "busy", "subroutine": "majority", "strategies": "vote"}
        layers = [Layer.read("test", values, of_user=True)]
        stored = stored_stream(run_file)
        return Engine(open_stream(origin_of("wave:900"), layers, stored=stored), run_file=run_file)

    whole = run(made(tmp_path / "whole.run"))
    part = run_until(made(tmp_path / "a.run"), 20)
    assert 0 < part.steps < whole.steps
    rest = run(made(tmp_path / "a.run"))
    kept = ("rows", "steps", "errors", "thresholds", "labels")
    assert [rest.summary()[name] for name in kept] == [whole.summary()[name] for name in kept]


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--distance", "nothing"), "one of: features, labels, frames, markov, iid, busy"),
        (("--strategy", "nothing"), "vote"),
        (("--subroutine", "nothing"), "There are logistic, nearest-mean, erm, vw, majority"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_names_of_plugins_are_among_those_that_are_known(stream, capsys, arguments, words):
    assert main(["replay", str(stream), *STREAM, *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.usefixtures("page")
def test_a_source_that_nobody_registered_is_refused(capsys):
    assert main(["tail", "pulsar://host/topic"]) == 2
    error = capsys.readouterr().err
    assert "there is no source 'pulsar'; known are file, stdin, kafka, wave" in error


@pytest.mark.usefixtures("page")
def test_an_alarm_may_name_the_strategy_of_a_plugin():
    from macro_engine.run.alarms.alarms import parse

    assert parse("vote > 25%").series == "vote"


BROKEN = (
    "the plugin 'mine' of the package 'bad-plugin' cannot be loaded: "
    "ModuleNotFoundError: No module named 'missing_library'"
)


@pytest.fixture
def broken(installed):
    code = "print('hello')\nimport missing_library\n"
    return install(installed, "bad-plugin", code, {"mine": "bad_plugin"})


@pytest.mark.usefixtures("broken")
def test_a_broken_plugin_that_nobody_needs_is_a_remark(stream, capsys):
    assert main(["replay", str(stream), *STREAM, "--every", "30m", "--json"]) == 0
    done = capsys.readouterr()
    assert done.err.count(BROKEN) == 1
    assert json.loads(done.out)["rows"] == 400


@pytest.mark.usefixtures("broken")
@pytest.mark.parametrize(
    "arguments",
    [
        ("replay", "d.csv", "--distance", "mine"),
        ("replay", "d.csv", "--subroutine", "mine"),
        ("replay", "d.csv", "--strategies", "mine"),
        ("tail", "mine:5"),
    ],
    ids=lambda arguments: arguments[-2],
)
def test_a_broken_plugin_that_might_know_a_name_is_named(stream, capsys, monkeypatch, arguments):
    monkeypatch.chdir(stream.parent)
    assert main(list(arguments)) == 2
    assert capsys.readouterr().err.splitlines()[-1].endswith(BROKEN)


def test_a_name_that_is_taken_breaks_the_plugin_that_takes_it(installed, stream, capsys):
    code = "from macro_engine.subroutines import register\nregister('erm', None)\n"
    install(installed, "bad-plugin", code, {"mine": "bad_plugin"})
    assert main(["replay", str(stream), *STREAM, "--every", "30m", "--headless"]) == 0
    assert (
        "ValueError: 'erm' is taken or is not a valid name for a learner" in capsys.readouterr().err
    )


def test_what_a_plugin_raises_in_a_run_is_one_line(installed, stream, capsys):
    code = """
from macro_engine.discrepancy import Distance, Iid, register
class Bad(Iid):
    def between(self, now, reference):
        raise KeyError("oops")
register("bad", Distance(lambda shape: Bad(), history=1, thresholds=(0.5,)))
"""
    install(installed, "bad-plugin", code, {"mine": "bad_plugin"})
    assert main(["replay", str(stream), *STREAM, "--distance", "bad"]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert "the distance bad failed in the steps from" in last
    assert "KeyError: 'oops'" in last


def test_of_several_plugins_the_one_that_failed_is_named(page, stream, capsys):
    code = """
from macro_engine.strategies import Strategy, register
@register
class Bad(Strategy):
    name, title = "bad", "fails"
    def answer(self, forecasts):
        raise KeyError("oops")
    complete = state = restore = None
"""
    install(page, "bad-plugin", code, {"mine": "bad_plugin"})
    chosen = ["--distance", "busy", "--strategies", "vote,bad"]
    assert main(["replay", str(stream), *STREAM, *chosen]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(
        "macro-tui replay: the strategy bad failed in the steps from 0: KeyError"
    )


@pytest.mark.usefixtures("page")
def test_what_a_source_of_a_plugin_raises_is_one_line(capsys):
    assert main(["tail", "wave:many"]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert "the source wave failed: ValueError: invalid literal" in last


SOURCE = "\n\n".join(blocks("python")[-1:])
ITS_IMPORTS = "import math\nimport numpy as np\nfrom macro_engine.core.state import whole\n"


@pytest.mark.parametrize(
    ("was", "now", "words"),
    [
        ("return [table(first, self.row, self.columns)]", "return (3, 4)", "it polled is a tuple"),
        ("return WaveSource(self.rows, spec.columns)", "return None", "a Source is expected"),
        ("return Beginning(names, lambda: table(0, 500, names))", "return 3", "a Beginning is"),
        ('return {"row": self.row}', "return {1: print}", "the source wave failed: TypeError"),
        ("TextColumn(values[name])", "values[name]", "the source wave failed: AttributeError"),
        ("self.rows = int(asked.text)", "raise KeyError(7)", "the source wave failed: KeyError: 7"),
        (
            'register_source("wave", Wave)',
            'register_source("wave", print)',
            "where a Origin is expected",
        ),
        ('register_source("wave", Wave)', 'register_source("wave", 3)', "cannot be called"),
    ],
)
def test_a_source_that_gives_something_else_ends_in_one_line(
    installed, tmp_path, capsys, was, now, words
):
    assert was in SOURCE
    code = ITS_IMPORTS + SOURCE.replace(was, now)
    install(installed, "bad-plugin", code, {"mine": "bad_plugin"})
    options = ["--every", "7", "--headless", "--run", str(tmp_path / "a.run")]
    assert main(["tail", "wave:900", *options]) in (1, 2)
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith("macro-tui tail: ")
    assert words in last
    assert not [p for p in tmp_path.iterdir() if p.name.startswith("a.run-")]
