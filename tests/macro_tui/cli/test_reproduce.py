"""`macro-tui reproduce`."""

import json

import pytest
from extras import needs_matplotlib
from made_flights import made_flights, made_videos

from macro_tui.cli import main

SERIES = {"marginal", "ftl", "ewa", "blend", "no_change", "lag", "threshold"}


@pytest.fixture(scope="module")
def flights(tmp_path_factory):
    return made_flights(tmp_path_factory.mktemp("flights"))


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


def reproduce(capsys, *arguments):
    code = main(["reproduce", *map(str, arguments)])
    return code, *capsys.readouterr()


def airline(capsys, flights, cache, *more):
    return reproduce(
        capsys, "airline", "--data", flights, "--learners", "logistic", "--cache", cache, *more
    )


@pytest.mark.slow
def test_the_document_is_as_the_design_writes_it(capsys, flights, cache):
    code, out, _ = airline(capsys, flights, cache, "--json")
    assert code == 0
    document = json.loads(out)
    cells = document["cells"]
    assert {cell["series"] for cell in cells} == SERIES
    assert {cell["airport"] for cell in cells} == {"DEN", "LAS"}
    assert {cell["distance"] for cell in cells} == {"labels", "features"}
    assert {cell["rate"] for cell in cells} == {"sqrt", 1, 0.05}
    (found,) = [
        cell
        for cell in cells
        if (cell["airport"], cell["distance"], cell["rate"], cell["series"])
        == ("DEN", "labels", "sqrt", "ftl")
    ]
    assert list(found)[:8] == [
        "airport", "distance", "learner", "rate", "series", "threshold", "error", "paper"
    ]  # fmt: skip
    assert (found["learner"], found["threshold"], found["paper"]) == ("logistic", None, 22.8)
    assert 0 < found["error"] < 1
    thresholds = [c["threshold"] for c in cells if c["series"] == "threshold"]
    assert set(thresholds) >= {0.005, 0.47}
    assert all(c["paper"] is None for c in cells if c["series"] in ("lag", "no_change", "blend"))
    for claim in document["claims"]:
        assert list(claim)[:4] == ["claim", "where", "holds", "value"]
        assert isinstance(claim["holds"], bool)
    assert len({claim["claim"] for claim in document["claims"]}) == 5
    for one in document["differences"]:
        assert one["low"] <= one["difference"] <= one["high"]


@pytest.mark.slow
def test_the_tables_fit_eighty_columns_and_a_second_start_computes_nothing(capsys, flights, cache):
    airline(capsys, flights, cache)
    before = {path: path.stat().st_mtime_ns for path in cache.iterdir()}
    code, out, _ = airline(capsys, flights, cache)
    assert code == 0
    assert {path: path.stat().st_mtime_ns for path in cache.iterdir()} == before
    assert max(map(len, out.splitlines())) <= 80
    assert "Features distance, ERM (logistic, step 1/sqrt(t)): error in %, ours/paper" in out
    assert "MACRO (FTL) below marginal: holds" in out
    assert "compare the gains" in out


@pytest.mark.slow
def test_the_time_is_told_beside_rivers(capsys, flights):
    _, out, _ = airline(capsys, flights, "none", "--distances", "labels", "--time", "--json")
    timing = json.loads(out)["timing"]
    assert timing["river_seconds"] > 0
    assert timing["ratios"]["logistic"] > 0
    assert timing["ratio_with_all_steps"] > timing["ratios"]["logistic"]


@pytest.mark.slow
@needs_matplotlib[0]
@needs_matplotlib[1]
def test_a_report_is_one_page_with_figures_and_tables(capsys, flights, cache, tmp_path):
    folder = tmp_path / "report"
    code, _, err = airline(capsys, flights, cache, "--report", folder)
    assert code == 0, err
    names = {path.name for path in folder.iterdir()}
    assert names >= {
        "index.html", "tables.md", "cells.csv", "claims.csv", "differences.csv", "settings.json",
        "labels-DEN.svg", "features-LAS.svg",
    }  # fmt: skip
    page = (folder / "index.html").read_text()
    assert page.count("<svg") == 4
    assert "compare the gains rather than the errors." in page  # notes are whole
    assert "src=" not in page  # nothing is loaded
    assert 'href="http' not in page
    assert json.loads((folder / "settings.json").read_text())["settings"]["history"] == 1
    header = (folder / "cells.csv").read_text().splitlines()[0]
    assert header.startswith("airport,distance,learner,rate,series,threshold,error,paper")


def test_a_report_without_matplotlib_names_the_command(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("macro_engine.experiments.figures.find_spec", lambda _name: None)
    code, _, err = reproduce(capsys, "airline", "--report", tmp_path / "r")
    assert code == 2
    assert "draws figures with matplotlib, which is not installed; install it with: " in err
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["airline", "--airports", "JFK"], "--airports: there is no JFK in the data; known: "),
        (
            ["airline", "--distances", "iid"],
            "--distances: 'iid' is unknown; one of: features, labels",
        ),
        (["airline", "--learners", "erm"], "--learners: 'erm' is unknown; one of: logistic, vw"),
        (["airline", "--workers", "0"], "--workers 0: write 1 or more"),
        (["breakfast", "--data", "."], "there is no features/VIDEO.npy"),
    ],
)
def test_bad_usage_is_said_before_any_work(capsys, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    code, out, err = reproduce(capsys, *arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_data_that_is_not_there_is_named(capsys, tmp_path):
    code, _, err = reproduce(capsys, "airline", "--data", tmp_path / "none.parquet")
    assert code == 1
    assert "there is no such file" in err


@pytest.mark.slow
def test_videos_are_reproduced_and_a_wrong_one_is_skipped(capsys, tmp_path):
    names = ("P03_cam01_P03_tea", "P04_cam01_P04_tea", "P05_cam01_P05_tea")
    folder = made_videos(tmp_path, names)
    labels = folder / "groundTruth" / f"{names[2]}.txt"
    labels.write_text(labels.read_text() + "SIL\n")
    code, out, err = reproduce(
        capsys, "breakfast", "--data", folder, "--distances", "labels", "--cache", "none", "--json"
    )
    assert code == 0
    assert f"skipped: {folder / 'features' / names[2]}" in err
    document = json.loads(out)
    assert {c["activity"] for c in document["cells"]} == {"tea"}
    assert [c["paper"] for c in document["cells"] if c["series"] == "marginal"] == [20.1]
    assert document["settings"]["persons"] == {"tea": 2}
    assert len(document["skipped"]) == 1
