import pytest
from made_followers import HEADER, Watched


@pytest.fixture
def live(tmp_path):
    path = tmp_path / "live.csv"
    path.write_bytes(HEADER + b"1,1,p\n")
    watched = Watched(path)
    yield watched
    watched.follower.close()
