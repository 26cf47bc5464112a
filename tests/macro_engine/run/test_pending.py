"""Rows that wait for labels, against a count of all rows by hand."""

import csv
import random
import time
from datetime import UTC, datetime

import pytest
from made_runs import engine, run, run_until, write_stream

from macro_engine.core.errors import MacroError
from macro_engine.run.snapshot import Snapshot
from macro_engine.run.watched import WatchedRun


def keyed(path, rows=300, lag=15):
    """Labels come in rows of their own, between 5 and `lag` rows later; one in ten never."""
    rng = random.Random(3)
    with write_stream(path.with_suffix(".src"), rows).open() as file:
        records = list(csv.DictReader(file))
    lines, told = ["id,when,a,b,place,late"], []
    for i, r in enumerate(records):
        lines.append(f"k{i},{r['when']},{r['a']},{r['b']},{r['place']},")
        told.append((i + rng.randrange(5, lag), i, r["late"]))
        for known in sorted(t for t in told if t[0] <= i):
            told.remove(known)
            if rng.random() < 0.9:
                lines.append(f"k{known[1]},,,,,{known[2]}")
    path.write_text("\n".join(lines) + "\n")
    return path


OPTIONS = {"key": "id", "classes": "0,1", "every": "1", "label_timeout": "1000d"}


def waiting_by_hand(path, rows):
    """The keys of the rows that have no label when row number `rows`, from 1, comes."""
    found, seen = {}, 0
    with path.open() as file:
        for r in csv.DictReader(file):
            if not r["when"]:
                found.pop(r["id"], None)
                continue
            found[r["id"]] = r["when"]
            seen += 1
            if seen == rows:
                break
    return found


def pending_after(path, run_file, steps):
    """An engine that stopped when so many steps were closed."""
    made = engine(path, run_file, **OPTIONS)

    def progress():
        made.pipeline.steps_at_once = 1
        if made.pipeline.closed_steps >= steps:
            made.stop()

    made.listener.progress = progress
    return run(made)


@pytest.mark.parametrize("resumed", [False, True])
def test_it_counts_the_rows_without_a_label(tmp_path, resumed):
    path = keyed(tmp_path / "k.csv")
    if resumed:
        pending_after(path, tmp_path / "r.run", 20)
    made = pending_after(path, tmp_path / "r.run", 60)
    snapshot, closed = made.snapshot, made.pipeline.closed_steps
    expected = waiting_by_hand(path, closed)
    keys = {row["key"] for row in snapshot.pending_likely}
    assert keys == set(expected)
    assert snapshot.pending_rows == len(expected)
    assert sum(snapshot.pending_expected.values()) == pytest.approx(snapshot.pending_rows)
    shares = [float(row["p"]) for row in snapshot.pending_likely]
    assert shares == sorted(shares, reverse=True)
    oldest = datetime.fromisoformat(min(expected.values())).replace(tzinfo=UTC)
    assert snapshot.pending_oldest == oldest.timestamp() * 1e6


def test_who_watches_sees_the_same(tmp_path):
    path = keyed(tmp_path / "k.csv")
    made = pending_after(path, tmp_path / "r.run", 60)
    watched = WatchedRun(tmp_path / "r.run")
    watched.start()
    for _ in range(500):
        if watched.snapshot.steps == made.steps:
            break
        time.sleep(0.01)
    seen = watched.snapshot
    watched.stop(60)
    watched.close()
    assert seen.pending_rows == made.snapshot.pending_rows > 0
    assert [*seen.pending_likely] == [*made.snapshot.pending_likely]


def test_what_a_file_tells_of_rows_is_checked():
    with pytest.raises(MacroError, match="incomplete"):
        Snapshot.restored({"pending_likely": [{"key": "x"}]})


def test_the_price_of_waiting_speaks_of_the_same_rows_while_it_runs(tmp_path):
    path = write_stream(tmp_path / "d.csv", 500)
    made = engine(path, tmp_path / "r.run", label_delay="90m")
    run_until(made, 10)
    snapshot = made.snapshot
    assert made.pipeline.at_once.rows == snapshot.rows < made.reader.rows
    assert snapshot.errors_at_once.keys() == snapshot.errors.keys()
