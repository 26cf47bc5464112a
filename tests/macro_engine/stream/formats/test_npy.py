"""Videos in the layout of the Breakfast data set."""

import json
import pickle

import numpy as np
import pytest

from macro_engine.core.errors import MacroError
from macro_engine.stream.formats.npy import BreakfastVideo
from macro_tui.cli import main

NAME = "P03_cam01_P03_coffee"
LABELS = ["SIL"] * 10 + ["take_cup"] * 15 + ["pour_coffee"] * 15


@pytest.fixture
def video(tmp_path):
    """A made video of 40 frames with 4 features, and the path of its features."""
    for folder in ("features", "groundTruth"):
        (tmp_path / folder).mkdir()
    path = tmp_path / "features" / f"{NAME}.npy"
    features = np.random.default_rng(0).normal(size=(4, 40)).astype(np.float16)
    features[:, 10:25] += 5
    np.save(path, features)
    (tmp_path / "groundTruth" / f"{NAME}.txt").write_text("\n".join(LABELS) + "\n")
    (tmp_path / "mapping.txt").write_text("0 SIL\n1 pour_milk\n2 pour_coffee\n3 take_cup\n")
    return path


def test_a_frame_is_a_row_and_classes_are_those_of_the_video_in_the_order_of_the_mapping(video):
    file = BreakfastVideo(video)
    assert file.description["classes"] == ["SIL", "pour_coffee", "take_cup"]
    assert file.names == ["f0", "f1", "f2", "f3", "action"]
    (table,) = file.tables(file.names)
    assert table.columns["action"].texts() == LABELS
    numbers, problems = table.columns["f2"].numbers()
    assert numbers.tolist() == np.load(video)[2].astype(float).tolist()
    assert problems == {}


def test_the_preset_runs_one_video(video, capsys):
    assert main(["replay", str(video), "--preset", "breakfast", "--headless", "--json"]) == 0
    out, err = capsys.readouterr()
    summary = json.loads(out)
    assert (summary["rows"], summary["steps"]) == (40, 40)
    settings = summary["settings"]
    assert settings["distance"] == "frames"
    assert settings["history"] == 5
    assert settings["subroutine"] == "nearest-mean"
    assert settings["scale"] == "none"
    assert settings["thresholds"] == [1, 5, 6, 7, 8, 9, 10, 15, 17, 20, 25, 30, 35, 40]
    assert summary["classes"] == ["SIL", "pour_coffee", "take_cup"]
    assert "a mild look-ahead" in err


def test_lengths_that_disagree_are_an_error_with_both_numbers(video):
    labels = video.parent.parent / "groundTruth" / f"{NAME}.txt"
    labels.write_text("\n".join(LABELS[:-1]))
    with pytest.raises(MacroError, match=r"has 40 frames and .* has 39 labels"):
        BreakfastVideo(video)


def test_a_label_that_the_mapping_lacks_is_named_with_its_line(video):
    (video.parent.parent / "mapping.txt").write_text("0 SIL\n1 take_cup\n")
    with pytest.raises(MacroError, match="line 26: 'pour_coffee' is not in"):
        BreakfastVideo(video)


def test_one_class_only_is_an_error(video):
    (video.parent.parent / "groundTruth" / f"{NAME}.txt").write_text("SIL\n" * 40)
    with pytest.raises(MacroError, match="one class only"):
        BreakfastVideo(video)


def test_missing_parts_are_named(video):
    (video.parent.parent / "mapping.txt").unlink()
    with pytest.raises(MacroError, match=r"mapping\.txt cannot be read: No such file"):
        BreakfastVideo(video)


def test_a_pickle_is_never_loaded(video):
    class Evil:
        def __reduce__(self):
            return (open, (str(video.parent / "executed"), "w"))

    for data in (np.array([Evil()], dtype=object), None):
        if data is None:
            video.write_bytes(pickle.dumps(Evil()))
        else:
            np.save(video, data, allow_pickle=True)
        with pytest.raises(MacroError, match="is not a readable"):
            BreakfastVideo(video)
    assert not (video.parent / "executed").exists()


def test_features_of_another_shape_are_refused(video):
    np.save(video, np.zeros(40))
    with pytest.raises(MacroError, match=r"holds float64 of shape \(40,\)"):
        BreakfastVideo(video)
