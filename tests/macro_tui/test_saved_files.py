import csv
import io

from made_sessions import scene_of, session_over, write_stream
from made_strategy import mixed  # noqa: F401 (a fixture)

from macro_tui.saved_files import write_csv


def test_what_strategies_show_is_saved_by_name(tmp_path, mixed):  # noqa: F811, ARG001
    session = session_over(write_stream(tmp_path / "d.csv"), strategies="ftl,mixed")
    session.start()
    session.thread.join(120)
    file = io.StringIO()
    write_csv(file, scene_of(session))
    session.close()
    rows = list(csv.DictReader(io.StringIO(file.getvalue())))
    assert rows[-1]["steps"] == "600"
    assert rows[-1]["mixed turns"] == "14.0"
    assert round(float(rows[-1]["mixed pull macro"]), 6) == 0.6
