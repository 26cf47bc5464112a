import pytest
from made_runs import engine, run, write_stream

from macro_engine.core.steps import Steps
from macro_engine.run.engine import Listener


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A finished run and the results that it gave."""
    folder = tmp_path_factory.mktemp("recorded")
    stream = write_stream(folder / "d.csv", garbage=0.01)
    given = []
    made = run(
        engine(
            stream,
            folder / "a.run",
            Listener(results=given.append),
            distance="features",
            bounds={"a": [0, 3], "b": [0, 1]},
        )
    )
    return folder / "a.run", Steps.join(given), made
