"""The paper's experiment on videos: a stream for each person and activity, nearest-mean."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.experiments.bootstrap import by_persons
from macro_engine.experiments.cells import SERIES, THRESHOLD, Cell, Cells, Compared, Group
from macro_engine.experiments.measured_run import measured, opened_for
from macro_engine.experiments.paper_figures import ACTIVITIES, VIDEOS
from macro_engine.stream.formats.npy import BreakfastVideo
from macro_engine.work.tasks import Done, Failed, Task, work

DISTANCES = ("frames", "labels")
LEARNER = "nearest-mean"
HISTORY = 5  # frames
LENGTHS = (1, 2, 5, 10, 20)  # of history, for the claim that it hardly matters
NAME = "activity"  # of a place
LOOK_AHEAD = (
    "The features were normalised over each whole video by whoever made them: every figure of "
    "ours here has seen a little of the future."
)
_PRESETS = {"frames": "breakfast", "labels": "breakfast-labels"}


@dataclass(frozen=True)
class Video:
    """The stream of one person and activity."""

    path: Path
    person: str
    activity: str


@dataclass
class Survey:
    """The videos of a folder that can be run, and why others cannot."""

    videos: list[Video] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def activities(self) -> list[str]:
        """In the order of the paper, then those that it has not."""
        present = dict.fromkeys(video.activity for video in self.videos)
        known = [name for name in ACTIVITIES if name in present]
        return [*known, *sorted(present.keys() - set(known))]


def survey(folder: Path, activities: Sequence[str] = ()) -> Survey:
    """Looks at every video of a folder in the layout of the field.

    A video that disagrees with its labels in length, or cannot be read, is skipped and named.
    """
    paths = sorted((folder / "features").glob("*.npy"))
    if not paths:
        raise UsageError(
            f"--data {visible(folder)}: there is no features/VIDEO.npy; name the folder that holds "
            "features, groundTruth and mapping.txt"
        )
    found = Survey()
    for path in paths:
        person, _, rest = path.stem.partition("_")
        activity = rest.rpartition("_")[2] or path.stem
        if activities and activity not in activities:
            continue
        try:
            BreakfastVideo(path)
        except MacroError as error:
            found.skipped.append(str(error))
        else:
            found.videos.append(Video(path, person, activity))
    if not found.videos:
        first = f": {found.skipped[0]}" if found.skipped else ""
        raise MacroError(f"{visible(folder)}: no video can be run{first}")
    return found


@work
def run_video(task: Task) -> dict[str, Any]:
    """A whole grid over one video."""
    distance, history = task.settings["distance"], task.settings["history"]
    return measured(opened_for(task.data[:1], _PRESETS[distance], {"history": history}))


@dataclass(frozen=True)
class Plan:
    """The experiment to compute; `lengths` are history lengths of the frames distance."""

    videos: Sequence[Video]
    distances: Sequence[str] = DISTANCES
    lengths: Sequence[int] = LENGTHS

    def tasks(self) -> list[Task]:
        settings = [("labels", HISTORY)] if "labels" in self.distances else []
        if "frames" in self.distances:
            settings = [("frames", h) for h in dict.fromkeys([HISTORY, *self.lengths])] + settings
        return [
            Task.of(
                run_video,
                {
                    "person": video.person,
                    NAME: video.activity,
                    "distance": distance,
                    "history": history,
                },
                _files(video.path),
                f"{video.path.stem}: {distance}, history {history}",
            )
            for distance, history in settings
            for video in self.videos
        ]


def _files(video: Path) -> tuple[Path, ...]:
    """Everything that a run over the video depends on."""
    folder = video.absolute().parent.parent
    return video, folder / "groundTruth" / f"{video.stem}.txt", folder / "mapping.txt"


@dataclass
class Results:
    """The results of an experiment; `runs` are the values of each run, by person."""

    cells: Cells
    compared: list[Compared]
    runs: dict[Group, dict[str, list[dict[str, Any]]]]
    failed: list[Failed]

    @property
    def persons(self) -> Mapping[str, int]:
        """How many there are for each activity."""
        return {group.place: len(persons) for group, persons in self.runs.items()}


def gathered(activities: Sequence[str], results: Sequence[Done | Failed]) -> Results:
    """Errors by frame of each person, averaged over persons."""
    runs: dict[Group, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    found = Results(Cells(list(activities)), [], runs, [])
    for result in results:
        if isinstance(result, Failed):
            found.failed.append(result)
            continue
        asked = result.task.settings
        group = Group(asked[NAME], asked["distance"], LEARNER, None, asked["history"])
        runs[group][asked["person"]].append(result.value)
    for activity in activities:
        for group in runs:
            if group.place == activity:
                _add_cells(found, group)
    return found


def _add_cells(found: Results, group: Group) -> None:
    table = VIDEOS[str(group.distance), LEARNER]
    has_paper = group.history == HISTORY
    persons = found.runs[group]
    errors = [_errors(values) for values in persons.values()]
    for series, threshold in errors[0]:
        mean = sum(error[series, threshold] for error in errors) / len(errors)
        paper = table.error(group.place, series, threshold) if has_paper else None
        found.cells.add(Cell(group, series, threshold, mean, paper))
    ftl = [error["ftl", None] for error in errors]
    for rival in ("marginal", "ewa", "no_change"):
        other = [error[rival, None] for error in errors]
        found.compared.append(Compared(group, rival, by_persons(ftl, other)))


def _errors(values: Sequence[dict[str, Any]]) -> dict[tuple[str, float | None], float]:
    """The errors of a person, over all of that person's videos of the activity."""
    rows = sum(value["rows"] for value in values)
    wrong: dict[tuple[str, float | None], int] = defaultdict(int)
    for value in values:
        for series in (name for name in SERIES if name in value["wrong"]):
            wrong[series, None] += value["wrong"][series]
        for member in value["members"]:
            wrong[THRESHOLD, member["threshold"]] += member["wrong"]
    return {name: count / rows for name, count in wrong.items()}
