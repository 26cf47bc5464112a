"""A run whose file fails at some operation goes on, and ends as if nothing had been."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from busy import within
from faults import KINDS, Faults, inject
from faulty_runs import stopped_and_resumed, whole
from made_runs import write_stream

from macro_engine.run.store import recorder

AT_ONCE = 12  # runs, which mostly wait for the disk


@pytest.fixture
def stream(tmp_path):
    return write_stream(tmp_path / "d.csv", rows=60)


@pytest.fixture
def often(monkeypatch):
    monkeypatch.setattr(recorder, "COMMIT_SECONDS", 0.0)
    monkeypatch.setattr(recorder, "_REST", 0)


@pytest.mark.slow
@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(("made", "every"), [(whole, 2), (stopped_and_resumed, 7)])
def test_one_failed_operation_wherever_it_is_changes_nothing(
    stream, tmp_path, monkeypatch, made, every
):
    monkeypatch.setattr(recorder, "RETRY_SECONDS", 0.001)
    plans = {}
    inject(monkeypatch, plans)
    plans[tmp_path / "0" / "a.run"] = undisturbed = Faults()
    expected = made(stream, tmp_path / "0")
    assert len(undisturbed.commits) > 4

    def disturbed(n):
        folder = tmp_path / f"at{n}"
        plans[folder / "a.run"] = faults = Faults(n, list(KINDS)[n % 3])
        is_same = made(stream, folder) == expected
        # a run that stood still for a moment more, or less, has a commit more or less
        was_disturbed = faults.ended is not None or n >= faults.operations
        return is_same and was_disturbed

    with ThreadPoolExecutor(AT_ONCE) as pool:
        ends = list(pool.map(disturbed, range(0, undisturbed.operations, every)))
    assert [every * i for i, is_same in enumerate(ends) if not is_same] == []


@pytest.mark.slow
@pytest.mark.usefixtures("often")
def test_after_a_second_of_failures_a_commit_comes_soon(stream, tmp_path, monkeypatch):
    plans = {}
    inject(monkeypatch, plans)
    plans[tmp_path / "0" / "a.run"] = undisturbed = Faults()
    expected = whole(stream, tmp_path / "0")
    last_commit, _ = undisturbed.commits[-1]
    kinds = list(KINDS)
    spread = [undisturbed.operations * i // 12 for i in range(12)]
    for i, n in enumerate(spread):
        plans[tmp_path / f"at{n}" / "a.run"] = Faults(n, kinds[i % 3], seconds=1.0)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ends = list(pool.map(lambda n: whole(stream, tmp_path / f"at{n}"), spread))
    for n, end in zip(spread, ends, strict=True):
        faults = plans[tmp_path / f"at{n}" / "a.run"]
        assert end == expected, f"operation {n}"
        later = [moment for _, moment in faults.commits if moment > faults.ended]
        if n < last_commit:
            assert later[0] - faults.ended < within(2.0), f"operation {n}"
