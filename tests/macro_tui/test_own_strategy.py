"""A strategy that a plug-in registers is everywhere, with no other change."""

import json
import re
from contextlib import closing
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from made_runs import write_stream
from made_sessions import finished_session, monitor_of, open_main, scene_of, settle, text_of
from made_strategy import halves, newest, toy  # noqa: F401 (fixtures)
from made_views import texts

from macro_engine.core.errors import UsageError
from macro_engine.run.alarms.alarms import Alarms, parse
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.view import METRICS
from macro_engine.run.watched import WatchedRun
from macro_engine.strategies import STRATEGIES
from macro_tui.app import Monitor, Options
from macro_tui.cli import main
from macro_tui.view.errors import curves_view, heading
from macro_tui.view.glyphs import UNICODE
from macro_tui.view.help import help_rows
from macro_tui.view.strategy_values import strategy_values_view
from macro_tui.view.verdict import verdict
from macro_tui.view.weights import about

pytestmark = pytest.mark.usefixtures("toy")

STREAM = ["--time", "when", "--label", "late", "--features", "a,b", "--every", "30m"]
SETTINGS = {"time": "when", "label": "late", "features": "a,b", "every": "30m"}
CHOSEN = ["--strategies", "toy,ftl", "--strategy", "toy", "--history", "2,6"]
SERIES = ["marginal", "no_change", "ftl", "toy"]


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv", rows=1500)


@pytest.fixture
def run_file(stream, tmp_path, capsys):
    path = tmp_path / "a.run"
    assert main(["replay", str(stream), *STREAM, *CHOSEN, "--headless", "--run", str(path)]) == 0
    capsys.readouterr()
    return path


def test_it_is_in_the_document_and_in_the_predictions(stream, tmp_path, capsys):
    out = tmp_path / "p.parquet"
    arguments = ["--headless", "--json", "--predictions", str(out)]
    assert main(["replay", str(stream), *STREAM, *CHOSEN, *arguments]) == 0
    found = capsys.readouterr()
    document = json.loads(found.out)
    assert list(document["errors"]) == SERIES
    assert document["settings"]["strategies"] == ["ftl", "toy"]
    frame = pl.read_parquet(out)
    assert frame.columns[4:8] == SERIES
    assert (frame["toy"] != frame["label"]).mean() == document["errors"]["toy"]
    likeliest = (frame["p_1"] > frame["p_0"]).cast(pl.Int8).cast(pl.String)
    assert likeliest.equals(frame["toy"], check_names=False)


def test_it_is_in_the_summary(stream, capsys):
    assert main(["replay", str(stream), *STREAM, *CHOSEN, "--headless"]) == 0
    told = capsys.readouterr().err
    assert "TOY" in told
    assert "EWA" not in told
    assert "TOY makes" in told
    assert "threshold 6:0.10" in told


def test_it_is_in_the_run_file_and_what_is_exported(run_file, tmp_path):
    with closing(RunReader(run_file)) as reader:
        assert list(reader.names.series) == SERIES
    assert main(["export", str(run_file), "--to", str(tmp_path / "out")]) == 0
    frame = pl.read_parquet(tmp_path / "out" / "predictions.parquet")
    assert frame.columns[4:8] == SERIES
    assert frame.columns[-2:] == ["p_0", "p_1"]


def test_a_run_goes_on_with_it(stream, run_file, capsys):
    command = ["replay", str(stream), *STREAM, "--headless", "--json", "--run", str(run_file)]
    assert main([*command, *CHOSEN]) == 0
    again = json.loads(capsys.readouterr().out)
    assert list(again["errors"]) == SERIES
    assert main([*command, "--strategies", "ftl"]) == 1
    assert "--strategies was" in capsys.readouterr().err


async def test_it_is_watched_in_every_panel(run_file):
    session = WatchedRun(run_file)
    app = Monitor(lambda: session, Options("a.run"))
    async with app.run_test(size=(160, 50)) as pilot:
        await open_main(app, pilot)
        await settle(app, pilot)
        shown = text_of(app)
        assert "TOY " in shown.splitlines()[1]  # the verdict
        assert "EWA" not in shown
        assert "6:0.10" in shown
    assert session.stop(60)
    session.close()


@pytest.mark.usefixtures("newest", "halves")
async def test_its_leader_and_its_weights_are_in_the_panel_of_thresholds(stream):
    options = SETTINGS | {"strategies": "newest,halves", "strategy": "newest", "history": "2,6"}
    session = finished_session(stream, **options)
    app = monitor_of(session)
    async with app.run_test(size=(160, 50)) as pilot:
        await open_main(app, pilot)
        await settle(app, pilot)
        shown = text_of(app)
    scene = scene_of(session)
    history, leader = session.history, int(scene.point.leader[0])
    weight = float(history.weights(np.array([history.steps]))[leader, 0])
    assert "halves weight newest" in " ".join(shown.split())
    assert "halves weights over time" in shown
    assert re.search(rf"{history.short_members[leader]}.* {100 * weight:.0f}% +●", shown)
    assert "newest leader " in shown  # an event
    assert "EWA" not in shown
    assert "FTL" not in shown
    session.close()


@pytest.mark.slow
async def test_the_monitor_judges_by_it(stream):
    options = SETTINGS | {"strategies": "toy", "history": "2,6"}
    session = finished_session(stream, [parse("toy > 0.01")], **options)
    app = monitor_of(session)
    async with app.run_test(size=(120, 30)) as pilot:
        await open_main(app, pilot)
        await settle(app, pilot)
        shown = text_of(app)
        assert "ALARM" in shown
        assert "FTL" not in shown
    session.close()


def test_alarms_know_its_name_and_refuse_what_a_run_does_not_compute():
    alarms = Alarms([parse("toy > marginal for 2h")])
    alarms.check_series(SERIES)
    with pytest.raises(UsageError, match="toy is not computed; there are marginal, ftl"):
        alarms.check_series(["marginal", "ftl"])
    with pytest.raises(UsageError, match="is not a rule"):
        parse("tooy > marginal")


def test_an_alarm_on_a_leader_is_refused_where_none_leads():
    alarms = Alarms([parse("leader changed")])
    alarms.check_series(SERIES, has_leader=True)
    with pytest.raises(UsageError, match="of marginal, no_change, toy none has a leader"):
        alarms.check_series(["marginal", "no_change", "toy"], has_leader=False)


@pytest.mark.parametrize(("strategies", "code"), [("toy", 2), ("toy,ftl", 0)])
def test_a_run_is_not_begun_with_a_rule_that_can_never_call(stream, capsys, strategies, code):
    chosen = ["--strategies", strategies, "--alarm", "leader changed"]
    assert main(["replay", str(stream), *STREAM, *chosen, "--headless"]) == code
    assert ("none has a leader" in capsys.readouterr().err) == (code == 2)


@pytest.mark.parametrize("command", ["watch", "wall"])
def test_alarms_know_the_series_of_a_run_whose_strategies_are_not_installed(
    run_file, command, capsys, monkeypatch
):
    monkeypatch.delitem(STRATEGIES, "toy")
    rule = ["--alarm", "toy > marginal"]
    for place in (run_file, run_file.parent) if command == "wall" else (run_file,):
        assert main([command, str(place), *rule]) == 1  # for want of a terminal
        assert "needs a terminal" in capsys.readouterr().err
    assert main([command, str(run_file), "--alarm", "tooy > marginal"]) == 2
    assert "is not a rule" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--strategies", "ftl,none"], "'none' is unknown"),
        (["--strategies", "ftl", "--strategy", "ewa"], "it is not computed"),
        (["--strategies", ""], "is unknown"),
    ],
)
def test_strategies_that_make_no_sense_are_refused(stream, capsys, options, says):
    assert main(["replay", str(stream), *STREAM, "--headless", *options]) == 2
    assert says in capsys.readouterr().err


def scene_by(session, metric="error"):
    return replace(scene_of(session), metric=METRICS[metric])


def test_the_verdict_by_a_metric_tells_the_prediction_before_all_else_beside_macro(stream):
    options = SETTINGS | {"strategies": "ftl,ewa,toy", "strategy": "toy"}
    session = finished_session(stream, **options)
    scene = scene_by(session, "logloss")
    told, narrow = (texts([verdict(scene, width)])[0] for width in (200, 64))
    session.close()
    assert re.fullmatch(r"MACRO: log loss .*; lately .*; EWA .*; TOY .*; baseline .*", told)
    assert re.fullmatch(r"MACRO: log loss \S+, .*; TOY \S+", narrow)


def test_what_a_strategy_of_the_papers_would_be_called_no_other_is(stream):
    session = finished_session(stream, **SETTINGS | {"strategies": "toy"})
    scene = scene_by(session)
    session.close()
    assert heading(scene) == "TOY: lead over the baseline"
    assert curves_view(scene).series[0].name == "TOY"
    told = [text for row in help_rows(UNICODE, (), scene.history.strategies) for text, _ in row]
    assert not re.search("FTL|EWA|blend", " ".join(told))


@pytest.mark.usefixtures("newest")
def test_without_probabilities_log_loss_is_undefined(stream):
    options = SETTINGS | {"strategies": "newest", "metric": "logloss"}
    session = finished_session(stream, **options)
    (told,) = texts([verdict(scene_by(session, "logloss"), 80)])
    session.close()
    assert re.fullmatch(r"newest: log loss is undefined; baseline \d\.\d{3}", told)


@pytest.mark.usefixtures("halves")
def test_weights_that_stand_with_the_thresholds_are_not_listed_again(stream):
    session = finished_session(stream, **SETTINGS | {"strategies": "toy,halves"})
    names, values = session.history.names, strategy_values_view(scene_by(session), 20).values
    session.close()
    assert {one.strategy for one in names.shown} == {"toy", "halves"}
    assert [(strategy, name) for strategy, name, _ in values] == [("toy", "surprise")]


@pytest.mark.usefixtures("halves")
def test_who_shows_weights_alone_shows_nothing_more_than_the_thresholds(stream):
    session = finished_session(stream, **SETTINGS | {"strategies": "halves"})
    names, told = session.history.names, about(scene_by(session))
    session.close()
    assert names.shown
    assert not names.shown_apart
    assert "v:" not in told
