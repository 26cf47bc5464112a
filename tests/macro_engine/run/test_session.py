import time

import pytest
from made_runs import engine, write_stream

from macro_engine.core.errors import MacroError
from macro_engine.run.events import Event
from macro_engine.run.playing.speed import Speed
from macro_engine.run.session import Session


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv")


def session(stream, run_file=None, **options):
    def load(listener, unnamed):
        return engine(stream, run_file or unnamed, listener, **options)

    return Session(load)


def ended(made):
    made.start()
    made.thread.join(120)
    assert not made.is_running
    return made


def test_a_run_leaves_its_history(stream):
    made = ended(session(stream))
    assert made.error is None
    assert made.snapshot.state == "finished"
    assert made.history.steps == made.snapshot.steps > 0
    assert made.history.results(0, 5).steps == 5
    assert made.events(["birth"])
    learned = made.parameters(0, 1)
    assert learned.columns[:2] == ("a", "b")
    assert learned.values.shape == (1, len(learned.columns))
    assert len(made.updates(0)) == made.snapshot.subroutines[0]
    folder = made.folder.name
    made.close()
    import os

    assert not os.path.exists(folder)


def test_what_fails_is_kept(tmp_path):
    made = ended(session(tmp_path / "nowhere.csv"))
    assert isinstance(made.error, MacroError)
    made.close()


def test_a_finished_run_can_be_looked_at_again(stream, tmp_path):
    first = ended(session(stream, tmp_path / "a.run"))
    again = ended(session(stream, tmp_path / "a.run"))
    assert again.error is None
    assert again.history.steps == first.history.steps
    first.close()
    again.close()


def test_paused_stepped_bookmarked_and_stopped_it_goes_on_later(stream, tmp_path):
    made = session(stream, tmp_path / "a.run", speed=Speed(rate=50))
    made.start()
    while made.history is None:
        assert made.is_running
        time.sleep(0.01)
    made.controls.pause(True)
    assert made.snapshot.state == "paused"
    time.sleep(0.1)
    before = made.snapshot.steps
    made.controls.step()
    while made.snapshot.steps == before:
        time.sleep(0.01)
    assert made.snapshot.steps == before + 1
    made.note([Event(3, None, "bookmark", "here")])
    assert made.events(["bookmark"])[0][1].text == "here"
    assert made.stop(60)
    made.close()
    again = ended(session(stream, tmp_path / "a.run"))
    assert again.events(["bookmark"])[0][1].text == "here"
    assert again.history.results(0, before + 1).steps == before + 1
    again.close()
