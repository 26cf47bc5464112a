"""Labels that come later than their rows: runs against a slow definition that keeps all rows."""

import csv
import random
from contextlib import closing

import numpy as np
import polars as pl
import pytest
from made_runs import engine, live_engine, run, run_until, run_until_read, write_stream

from macro_engine.algorithm.macro import Macro
from macro_engine.core.errors import UsageError
from macro_engine.core.rows import Columns, Rows
from macro_engine.discrepancy import DISTANCES, Shape
from macro_engine.run.history.usage import Usage
from macro_engine.run.score.lead import Situations
from macro_engine.run.store.runfile import RunReader
from macro_engine.run.wall import FollowedRun
from macro_engine.subroutines import resolve

MINUTE = 60_000_000
WINDOW = 30 * MINUTE
NAMES = ("0", "1")


def predictions(made, folder, name="p"):
    made.outputs.predictions = folder / f"{name}.parquet"
    run(made)
    return pl.read_parquet(folder / f"{name}.parquet")


def slow(times, numbers, labels, known_at, timeout, threshold, history):
    """What one member predicts, from all rows at once: the definition, row by row.

    `known_at[i]` is the time at which label i is known. A row is given up when the clock has gone
    on by the timeout since it came.
    """
    columns = Columns(("a", "b"))
    discrepancy = DISTANCES["labels"].create(Shape(2, 2, history))
    create = resolve("nearest-mean")
    macro = Macro(threshold, discrepancy, history, lambda: create(NAMES), columns)
    said, waiting, step, clock = [], [], [], -1
    came, choice, window = {}, None, None

    def rows_of(places):
        known = [i for i in places if known_at[i] <= clock and known_at[i] < came[i] + timeout]
        chosen = np.array(known, np.int64)
        slots = np.empty((len(chosen), 0), np.int64)
        return Rows(numbers[chosen], slots, labels[chosen], columns)

    def is_complete(places):
        return all(known_at[i] <= clock or came[i] + timeout <= clock for i in places)

    for i, time in enumerate(times):
        clock = max(clock, time)
        if time // WINDOW != window:
            window = time // WINDOW
            if step:
                waiting.append((choice, step))
            while waiting and is_complete(waiting[0][1]):
                done, places = waiting.pop(0)
                macro.complete(done, rows_of(places))
            choice, step = macro.open(), []
        step.append(i)
        came[i] = clock
        here = Rows(numbers[i : i + 1], np.empty((1, 0), np.int64), labels[i : i + 1], columns)
        said.append(int(macro.predict(choice, here)[0]))
    return np.array(said)


def made_stream(folder, rows=400, seed=1):
    frame = pl.read_csv(write_stream(folder / "d.csv", rows, seed), try_parse_dates=True)
    times = frame["when"].dt.timestamp("us").to_numpy()
    numbers = frame.select("a", "b").to_numpy()
    return folder / "d.csv", times, numbers, frame["late"].to_numpy()


PLAIN = {
    "features": "a,b", "categorical": "", "scale": "none", "subroutine": "nearest-mean",
    "thresholds": "0.05,0.2", "strategies": "ftl,ewa",
}  # fmt: skip


@pytest.mark.parametrize("delay", [20, 90, 500])
@pytest.mark.parametrize("timeout", [None, 200])
def test_a_delay_gives_what_the_definition_gives(tmp_path, delay, timeout):
    path, times, numbers, labels = made_stream(tmp_path)
    options = PLAIN | {"label_delay": f"{delay}m"}
    if timeout is not None:
        options["label_timeout"] = f"{timeout}m"
    found = predictions(engine(path, **options), tmp_path)
    wait = (timeout or max(30 * 30, 2 * delay)) * MINUTE
    for k, threshold in enumerate((0.05, 0.2)):
        expected = slow(times, numbers, labels, times + delay * MINUTE, wait, threshold, 3)
        assert found[f"t{k}"].cast(pl.Int64).to_list() == expected.tolist()
    lost = timeout is not None and timeout < delay
    assert (found["label"].null_count() > 0) == lost


def test_label_times_of_a_column_give_what_the_definition_gives(tmp_path):
    path, times, numbers, labels = made_stream(tmp_path)
    rng = random.Random(2)
    known = np.array([t + rng.choice([0, 5, 45, 200]) * MINUTE for t in times.tolist()])
    frame = pl.read_csv(path).with_columns(known=pl.Series(known).cast(pl.Datetime("us")))
    frame.write_parquet(tmp_path / "t.parquet")
    found = predictions(engine(tmp_path / "t.parquet", **PLAIN, label_time="known"), tmp_path)
    expected = slow(times, numbers, labels, known, 1 << 60, 0.2, 3)
    assert found["t1"].cast(pl.Int64).to_list() == expected.tolist()


@pytest.mark.parametrize(
    "options",
    [
        {"distance": "labels", "subroutine": "logistic", "strategies": "ftl,ewa,blend"},
        {"distance": "features", "subroutine": "logistic", "thresholds": ".1,.3"},
        pytest.param(
            {"distance": "labels", "subroutine": "river:naive_bayes.GaussianNB"},
            marks=pytest.mark.slow,
        ),
    ],
)
def test_without_a_delay_it_is_the_plain_run(tmp_path, options):
    path = write_stream(tmp_path / "d.csv", 250)
    one = predictions(engine(path, **options), tmp_path, "one")
    frame = pl.read_csv(path).with_row_index("id")
    frame.write_csv(tmp_path / "k.csv")
    other = predictions(engine(tmp_path / "k.csv", **options, key="id"), tmp_path, "other")
    assert one.equals(other)


def test_the_price_of_waiting_is_told(tmp_path):
    path = write_stream(tmp_path / "d.csv", 500)
    plain = run(engine(path)).summary()
    options = {"label_delay": "90m"}
    run_until(engine(path, tmp_path / "r.run", **options), 10)
    late = run(engine(path, tmp_path / "r.run", **options)).summary()
    assert late["errors_at_once"] == plain["errors"] != late["errors"]
    [note] = [note for note in late["notes"] if "with labels at once" in note]
    price = 100 * (late["errors"]["ftl"] - plain["errors"]["ftl"])
    assert f"ftl {plain['errors']['ftl']:.2%}, waiting adds {price:+.2f} points" in note


def keyed(path, rows=500, lag=15, seed=3):
    """A stream in which each label comes in a row of its own, so many rows later; some never."""
    rng, source = random.Random(seed), write_stream(path.with_suffix(".src"), rows)
    with source.open() as file:
        records = list(csv.DictReader(file))
    lines, told = ["id,when,a,b,place,late"], []
    for i, r in enumerate(records):
        lines.append(f"k{i},{r['when']},{r['a']},{r['b']},{r['place']},")
        told.append((i, r["late"]))
        if len(told) > lag:
            key, label = told.pop(0)
            if rng.random() < 0.9:
                lines.append(f"k{key},,,,,{label}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_labels_may_come_in_rows_of_their_own(tmp_path):
    made = engine(keyed(tmp_path / "k.csv"), key="id", classes="0,1", subroutine="nearest-mean")
    found = predictions(made, tmp_path)
    counts = made.reader.maker.awaited.counts
    assert len(found) == 500
    assert found["label"].null_count() == counts["never"] > 20
    assert made.summary()["rows"] == 500 - counts["never"]
    assert made.rejections.count == 0


def test_rows_that_never_got_a_label_are_in_no_share(tmp_path):
    """Neither in who earned the lead and what it is like, nor in the last steps of a wall."""
    made = run(engine(keyed(tmp_path / "k.csv"), tmp_path / "r.run", key="id", classes="0,1"))
    with closing(RunReader(tmp_path / "r.run")) as reader:
        results = reader.record_from(0)
        ours, baseline = results.wrong_of("ftl").sum(), results.wrong_of("marginal").sum()
    errors, lead = made.summary()["errors"], made.summary()["lead"]
    assert lead["points"] == pytest.approx(100 * (errors["marginal"] - errors["ftl"]), abs=1e-12)
    usage = Usage(0)
    usage.add(results)
    assert usage.rows.sum() == made.summary()["rows"] == results.judged.sum() < 500
    assert baseline / usage.rows.sum() == errors["marginal"]
    assert ours / usage.rows.sum() == errors["ftl"]
    rows, labels = results.labels_between(0, results.steps)
    assert rows == labels.sum() == usage.rows.sum()
    situations = Situations(results.names)
    situations.update(results)
    assert (situations.recent[-1] == labels).all()
    assert situations.rows.max() <= usage.rows.sum()
    followed = FollowedRun(tmp_path / "r.run")
    followed.look()
    assert followed.recent[0].sum() == usage.rows.sum()


def test_rows_that_wait_are_among_those_that_come(tmp_path):
    path = write_stream(tmp_path / "d.csv", 40)
    lines = path.read_text().splitlines()
    place = lines[0].split(",").index("late")
    unlabelled = [
        ",".join([*(cells := line.split(","))[:place], "", *cells[place + 1 :]])
        for line in lines[1:]
    ]
    keyed_lines = [f"id,{lines[0]}", *(f"k{i},{line}" for i, line in enumerate(unlabelled))]
    path.write_text("\n".join(keyed_lines) + "\n")
    made = live_engine(path, key="id", classes="0,1", subroutine="nearest-mean")
    run_until_read(made, 40)
    assert made.progress.rows_come == 40
    assert made.snapshot.steps == 0 < made.snapshot.pending_rows
    assert made.snapshot.pending_rows + made.snapshot.open_rows == 40


def test_a_run_that_waits_for_labels_is_resumed(tmp_path):
    path = keyed(tmp_path / "k.csv")
    options = {"key": "id", "classes": "0,1", "strategies": "ftl,ewa,blend"}
    whole = predictions(engine(path, tmp_path / "whole.run", **options), tmp_path, "whole")
    for steps in (3, 20):
        run_until(engine(path, tmp_path / "r.run", **options), steps)
    found = predictions(engine(path, tmp_path / "r.run", **options), tmp_path, "resumed")
    assert found.equals(whole)


def test_a_live_feed_gives_what_its_recording_gives(tmp_path):
    path = keyed(tmp_path / "k.csv", 300)
    lines = path.read_text().splitlines(keepends=True)
    options = {"key": "id", "classes": "0,1", "subroutine": "nearest-mean"}
    options["label_timeout"] = "2h"
    whole = predictions(engine(path, **options), tmp_path, "whole")
    live = tmp_path / "live.csv"
    live.write_text("".join(lines[:100]))
    made = live_engine(live, tmp_path / "l.run", **options)
    pieces = [lines[100:200], lines[200:]]

    def progress():
        if made.reader.has_news:
            return
        if pieces:
            with live.open("a") as file:
                file.write("".join(pieces.pop(0)))
        else:
            made.stop()

    made.listener.progress = progress
    found = predictions(made, tmp_path, "live")
    assert len(found) > 200
    same = whole.head(len(found)).drop("label")
    assert found.select(same.columns).equals(same)


@pytest.mark.parametrize("subroutine", ["nearest-mean", "logistic"])
def test_categories_may_appear_while_steps_wait(tmp_path, subroutine):
    path = keyed(tmp_path / "k.csv", 400, lag=90)
    lines = path.read_text().splitlines(keepends=True)
    rows = 0
    for i, line in enumerate(lines[1:], 1):
        fields = line.split(",")
        if fields[4]:  # another place every 50 rows, while the labels of 90 rows are awaited
            fields[4], rows = f"p{rows // 50}", rows + 1
        lines[i] = ",".join(fields)
    path.write_text("".join(lines))
    options = {"key": "id", "classes": "0,1", "subroutine": subroutine, "every": "5"}
    options |= {"label_timeout": "8h", "strategies": "ftl,ewa,blend"}
    whole = predictions(engine(path, **options), tmp_path, "whole")
    live, run_file = tmp_path / "live.csv", tmp_path / "l.run"
    for stop in (70, 250, 430, len(lines)):  # each time it goes on from the run file
        live.write_text("".join(lines[:stop]))
        made = live_engine(live, run_file, **options)

        def progress(made=made):
            if not made.reader.has_news:
                made.stop()

        made.listener.progress = progress
        found = predictions(made, tmp_path, "live") if stop == len(lines) else run(made)
    assert made.reader.encoder.columns.widths[-1] == 8
    assert len(found) > 120
    same = whole.head(len(found)).drop("label")
    assert found.select(same.columns).equals(same)


def odd(tmp_path, *lines):
    path = keyed(tmp_path / "k.csv", 60)
    with path.open("a") as file:
        file.write("".join(f"{line}\n" for line in lines))
    said = []
    made = engine(path, key="id", classes="0,1", subroutine="nearest-mean")
    made.report.listener.remark = said.append
    run(made)
    return made, "\n".join(said)


@pytest.mark.parametrize(
    ("lines", "kind", "words"),
    [
        (["nobody,,,,,1"], "unknown", "1 label for a key without a row"),
        (
            ["k59,,,,,1", "k59,,,,,0"],
            "disagrees",
            "1 label for a row that already has a different one",
        ),
        (["k59,,,,,1", "k59,,,,,1"], "repeated", "1 label for a row that already has the same one"),
        (["k59,,,,,7"], "outside", "1 label outside the classes"),
        (["k59,2024-01-01T03:00:00,1,1,p0,"], "twice", "with the key of a row that still waits"),
        (
            ["new,,,,,1", "new,2024-01-01T03:02:00,1,1,p0,"],
            "early",
            "1 label that came before its row",
        ),
    ],
)
def test_odd_labels_are_counted_and_told(tmp_path, lines, kind, words):
    made, said = odd(tmp_path, *lines)
    assert made.reader.maker.awaited.counts[kind] == 1
    assert words in said
    assert made.summary()["late_labels"][kind] == 1


def test_a_label_that_came_before_its_row_is_taken_with_it(tmp_path):
    made, _ = odd(tmp_path, "new,,,,,1", "new,2024-01-01T03:02:00,1,1,p0,")
    assert made.reader.maker.awaited.counts["unknown"] == 0


def in_two_files(folder, rows=400, delay=90):
    """A stream without labels, and a file with its labels and when they were known."""
    frame = pl.read_csv(write_stream(folder / "src.csv", rows), try_parse_dates=True)
    frame = frame.with_row_index("id")
    known = pl.col("when") + pl.duration(minutes=delay)
    frame.select("id", "late", known=known).sample(fraction=1.0, shuffle=True, seed=1).write_csv(
        folder / "labels.csv"
    )
    frame.drop("late").write_csv(folder / "rows.csv")
    return folder / "src.csv", folder / "rows.csv", folder / "labels.csv"


@pytest.mark.parametrize("how", ["at once", "delay", "time"])
def test_labels_of_a_second_file_are_as_if_they_stood_in_the_rows(tmp_path, how):
    source, rows, labels = in_two_files(tmp_path)
    options = {"classes": "0,1", "subroutine": "nearest-mean"}
    late = {"at once": {}, "delay": {"label_delay": "90m"}, "time": {"label_delay": "90m"}}[how]
    whole = predictions(engine(source, **options, **late), tmp_path, "whole")
    if how == "time":
        late = {"label_time": "known"}
    made = engine(rows, **options, **late, key="id", labels=str(labels))
    assert predictions(made, tmp_path).equals(whole)


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_a_file_with_labels_is_followed(tmp_path, delimiter):
    _, rows, labels = in_two_files(tmp_path, 200)
    told = labels.read_text().replace(",", delimiter).splitlines(keepends=True)
    labels.unlink()
    options = {"classes": "0,1", "subroutine": "nearest-mean", "key": "id", "labels": str(labels)}
    # while a step is open, none is complete but those that were when it opened
    made = live_engine(rows, tmp_path / "l.run", close_after=0.01, **options)
    pieces = [told[:1], told[1:90], told[90:], [f"nobody{delimiter}1{delimiter}\n"]]

    def progress():
        if made.reader.has_news:
            return
        if pieces:
            with labels.open("a") as file:
                file.write("".join(pieces.pop(0)))
        else:
            made.stop()

    made.listener.progress = progress
    run(made)
    awaited = made.reader.maker.awaited
    assert made.steps == made.reader.maker.steps == 20
    assert awaited.counts == {"unknown": 1}
    assert not awaited.waiting_rows


def test_options_that_need_each_other_say_so(tmp_path):
    path = write_stream(tmp_path / "d.csv", 50)
    for options, words in (
        ({"labels": "l.csv"}, "--key"),
        ({"label_delay": "1h", "label_time": "when"}, "leave one out"),
        ({"label_timeout": "1h"}, "no label comes late"),
        ({"key": "nope"}, "has no column 'nope'"),
        ({"label_delay": "1h", "time": "", "every": "5"}, "needs a time column"),
    ):
        with pytest.raises(UsageError, match=words):
            engine(path, **options)
