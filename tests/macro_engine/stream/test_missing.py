import numpy as np
import pytest

from macro_engine import replay
from macro_engine.stream.opening import open_stream


@pytest.fixture
def path(tmp_path):
    """600 rows; every 10th lacks a number, every 20th a category, the 300th its label."""
    generator = np.random.default_rng(5)
    lines = ["a,b,place,y"]
    for i in range(600):
        a, b = generator.normal(50, 10, 2).round(2)
        a = ["", "?", "inf", "n/a"][i // 10 % 4] if i % 10 == 0 else a
        place = "" if i % 20 == 0 else "north" if i % 3 else "south"
        lines.append(f"{a},{b},{place},{'' if i == 300 else int(b > 50)}")
    path = tmp_path / "a.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def result(path, **options):
    return replay(path, label="y", every=5, **options)


def notes_on_missing(found):
    return [note for note in found.summary["notes"] if "missing" in note]


def test_missing_values_are_filled_in_and_counted_and_labels_are_not(path):
    with result(path) as found:
        assert found.summary["rows"] == 599
        assert found.summary["rejected"] == 1
        assert notes_on_missing(found) == [
            "60 values of 'a' missing, taken as the mean",
            "30 values of 'place' missing, taken as a value of its own",
        ]


def test_rows_with_missing_numbers_are_rejected_where_that_is_asked_for(path):
    with result(path, missing="reject") as found:
        assert found.summary["rows"] == 540
        assert notes_on_missing(found) == []


def test_bounds_for_all_columns_mean_that_rows_are_rejected(path):
    path.with_suffix(".toml").write_text("bounds = { a = [0, 100], b = [0, 100] }\n")
    assert open_stream([path]).settings["missing"] == "reject"


@pytest.mark.parametrize("scale", ["running", "unit", "none"])
@pytest.mark.parametrize("distance", ["labels", "features", "markov"])
def test_nobody_sees_what_is_missing(path, scale, distance):
    if scale == "unit":
        path.with_suffix(".toml").write_text("bounds = { a = [0, 100], b = [0, 100] }\n")
    options = {"scale": scale, "distance": distance, "missing": "mean", "thresholds": [0.1, 0.5]}
    with result(path, **options) as found:
        assert found.predictions.select("p_1").to_series().is_finite().all()
