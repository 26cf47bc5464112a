import pytest
from made_sessions import finished_session, write_stream


@pytest.fixture(scope="module")
def stream(tmp_path_factory):
    return write_stream(tmp_path_factory.mktemp("made") / "flights.csv")


@pytest.fixture(scope="module")
def finished(stream):
    session = finished_session(stream)
    yield session
    session.close()
