"""Rows that wait for their labels, on the screen."""

import pytest
from made_sessions import monitor_of, open_main, paused_session, settle, text_of, until
from made_snapshots import compare


@pytest.fixture(scope="module")
def keyed(stream, tmp_path_factory):
    """The stream with keys, in which each label comes in a row of its own 30 rows later."""
    header, *lines = stream.read_text().splitlines()
    path, made = tmp_path_factory.mktemp("keyed") / "flights.csv", [f"flight,{header}"]
    for i, line in enumerate(lines):
        made.append(f"UA {i},{line.rpartition(',')[0]},")
        if i >= 30:
            made.append(f"UA {i - 30},,,,{lines[i - 30].rpartition(',')[2]}")
    path.write_text("\n".join(made))
    return path


@pytest.fixture
async def paused(keyed):
    """A run that waits at row 1000."""
    session = paused_session(keyed, 1000, key="flight", classes="late,punctual")
    session.start()
    await until(lambda: session.controls is not None and session.controls.target is None)
    session.start = lambda: None
    yield session
    assert session.stop(60)
    session.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "size", "keys"),
    [
        ("pending-80x24", (80, 24), ["7", "down"]),
        ("pending-160x50", (160, 50), ["7"]),
        ("pending-row-80x24", (80, 24), ["7", "down", "enter"]),
        ("pending-weights-80x24", (80, 24), ["4"]),
    ],
)
async def test_rows_that_wait_look_as_they_should(paused, name, size, keys):
    app = monitor_of(paused)
    async with app.run_test(size=size) as pilot:
        await open_main(app, pilot)
        await pilot.press(*keys)
        await settle(app, pilot)
        compare(name, text_of(app))
