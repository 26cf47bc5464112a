"""The experiment on videos."""

import pytest
from made_flights import made_videos

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.experiments.breakfast import Plan, gathered, survey
from macro_engine.experiments.breakfast_outcome import outcome
from macro_engine.experiments.cells import Group
from macro_engine.experiments.claims import LENGTH_HARDLY_MATTERS
from macro_engine.work.tasks import run_tasks

NAMES = ("P03_cam01_P03_tea", "P04_cam01_P04_tea", "P03_cam01_P03_milk")


@pytest.fixture
def folder(tmp_path):
    return made_videos(tmp_path, NAMES)


def shorten(folder, name):
    labels = folder / "groundTruth" / f"{name}.txt"
    labels.write_text("\n".join(labels.read_text().splitlines()[:-1]))


def test_videos_are_told_apart_by_person_and_activity(folder):
    found = survey(folder)
    assert [(v.person, v.activity) for v in found.videos] == [
        ("P03", "milk"),
        ("P03", "tea"),
        ("P04", "tea"),
    ]
    assert found.activities == ["tea", "milk"]
    assert [v.activity for v in survey(folder, ["milk"]).videos] == ["milk"]


def test_a_video_that_disagrees_with_its_labels_is_named_and_skipped(folder):
    shorten(folder, NAMES[1])
    found = survey(folder)
    assert len(found.videos) == 2
    (reason,) = found.skipped
    assert NAMES[1] in reason
    assert "60 frames" in reason
    assert "59 labels" in reason


def test_a_folder_without_videos_is_refused_in_words(tmp_path, folder):
    with pytest.raises(UsageError, match=r"features/VIDEO\.npy"):
        survey(tmp_path / "groundTruth")
    for name in NAMES:
        shorten(folder, name)
    with pytest.raises(MacroError, match="no video can be run"):
        survey(folder)


@pytest.mark.slow
def test_errors_are_averaged_over_persons(folder):
    videos = survey(folder).videos
    plan = Plan(videos, lengths=(1, 5))
    tasks = plan.tasks()
    assert len(tasks) == 3 * 3  # frames with two lengths, labels with one
    found = gathered(["tea", "milk"], run_tasks(tasks))
    tea = Group("tea", "frames", "nearest-mean", None, 5)
    alone = [values[0]["wrong"]["ftl"] / values[0]["rows"] for values in found.runs[tea].values()]
    assert len(alone) == 2
    assert found.cells.error(tea, "ftl") == sum(alone) / 2
    assert found.cells.cell(tea, "ftl").paper == 8.6
    assert found.cells.cell(tea, "threshold", 7.0).paper == 14.6
    assert found.cells.cell(tea, "threshold", 6.0).paper is None
    assert set(found.cells.thresholds(Group("tea", "labels", "nearest-mean", None, 5))) == {
        0.01, 0.05, 0.1, 0.2, 0.5, 1.0,
    }  # fmt: skip
    found.runs[Group("tea", "labels", "nearest-mean", None, 5)]["P03"][0]["rejected"] = 2
    shown = outcome(found, plan.distances, plan.lengths, ["one video"])
    differences = shown.document()["differences"]
    told = {(d["activity"], d["distance"], d["history"], d["rival"]) for d in differences}
    assert len(told) == len(differences) == 2 * 3 * 3  # of each length of history one
    assert any("whole video" in note for note in shown.notes)
    assert {"P03, tea: 2 frames rejected.", "Skipped: one video"} < set(shown.notes)
    claims = {verdict.claim for verdict in shown.verdicts}
    assert LENGTH_HARDLY_MATTERS in claims
    assert len(claims) == 7
