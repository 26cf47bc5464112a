"""Why rows were turned away, from the run and from its file."""

from contextlib import closing

import pytest
from made_runs import engine, run

from macro_engine.run.rejected import _ANY, _CURES, reasons_of
from macro_engine.run.store.runfile import RunReader
from macro_engine.stream.table import Problem, Rejection, Rejections


def write_bad_stream(path):
    lines = ["when,place,a,label"]
    for i in range(400):
        label = "lost" if i in (250, 260) else ("yes", "no")[i % 3 > 0]
        a = {7: "", 50: "", 90: "abc", 300: "", 310: "", 350: ""}.get(i, f"{i % 10}")
        lines.append(f"2024-01-{1 + i // 24:02}T{i % 24:02}:00,ATL,{a},{label}")
    path.write_text("\n".join(lines))
    return path


OPTIONS = {
    "label": "label",
    "features": "a",
    "every": "1h",
    "missing": "reject",
    "classes": "yes,no",
}


@pytest.fixture
def made(tmp_path):
    stream = write_bad_stream(tmp_path / "d.csv")
    return run(engine(stream, tmp_path / "a.run", **OPTIONS))


def test_reasons_are_counted_with_an_example_and_a_cure(made):
    found = {(r.column, r.kind.split(" (")[0]): r for r in reasons_of(made.rejections)}
    assert {key: reason.count for key, reason in found.items()} == {
        ("a", "is missing"): 5,
        ("label", "is not one of the classes"): 2,
        ("a", "is not a number"): 1,
    }
    (example,) = found["a", "is not a number"].examples
    assert (example.file, example.line, example.problem.value) == ("d.csv", 92, "abc")
    assert "--classes" in found["label", "is not one of the classes"].cure


def test_the_first_label_outside_the_classes_is_an_event_at_its_step(made):
    with closing(RunReader(made.run_file)) as reader:
        (event,) = [e for _, e in reader.events(text="none of the classes")]
    assert event.kind == "rejected"
    assert event.step in (246, 247, 248)  # 250 rows, three of them rejected
    assert "d.csv, line 252, column 'label': 'lost'" in event.text


def test_a_reason_that_comes_late_has_an_example_too():
    rejections = Rejections()
    for line in range(Rejections.KEPT + 5):
        rejections.add(Rejection("d.csv", line, "line", "a", Problem("is missing")))
    rejections.add(Rejection("d.csv", 9999, "line", "b", Problem("is not a number", "x")))
    first, last = reasons_of(rejections)
    assert first.count == Rejections.KEPT + 5
    assert [found.line for found in last.examples] == [9999]


def test_cures_fit_at_80_columns():
    assert max(len(cure) for cure in [_ANY, *(cure for _, cure in _CURES)]) <= 65
