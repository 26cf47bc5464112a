"""Members that never differ."""

from made_runs import engine, run, run_until, write_stream

SAME = "did the same in every step"


def said(made):
    return [note for note in made.summary()["notes"] if SAME in note]


def test_thresholds_that_never_differ_are_named_with_the_cure(tmp_path):
    stream = write_stream(tmp_path / "d.csv", rows=300)
    (note,) = said(run(engine(stream, every="1", history="1", thresholds=".1,.5,1.9,2,inf")))
    assert note.startswith("0.10, 0.50 and 1.9 did the same")
    assert "--thresholds" in note


def test_nothing_is_said_where_they_differ(tmp_path):
    stream = write_stream(tmp_path / "d.csv", rows=300)
    assert said(run(engine(stream, thresholds=".01,.3"))) == []


def test_members_of_different_histories_are_not_set_against_each_other(tmp_path):
    stream = write_stream(tmp_path / "d.csv", rows=60)
    options = {"every": "1", "history": "1,2", "thresholds": ".1"}
    assert said(run(engine(stream, **options))) == []


def test_a_resumed_run_says_the_same(tmp_path):
    stream = write_stream(tmp_path / "d.csv", rows=300)
    options = {"every": "1", "history": "1", "thresholds": ".1,.5,2", "classes": "0,1"}
    run_until(engine(stream, tmp_path / "a.run", **options), 100)
    assert said(run(engine(stream, tmp_path / "a.run", **options))) == said(
        run(engine(stream, **options))
    )
