"""Whether a run survives it that its file fails for a second, wherever that begins.

    python tests/benchmarks/failing_disk.py [EVERY]

Lets every operation of a short run on its file fail, or every so-and-so-many-th: busy, full and
broken, and all operations in the second after it. The run must go on, commit within two seconds
after that, and end as one that nobody disturbed: predictions, trace and state, byte for byte.
"""

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import pytest
from faults import KINDS, Faults, inject
from faulty_runs import whole
from made_runs import write_stream

from macro_engine.run.store import recorder

AT_ONCE = 12  # runs, which mostly wait


def main() -> None:
    every = int(sys.argv[1]) if sys.argv[1:] else 1
    recorder.COMMIT_SECONDS, recorder._REST = 0.0, 0
    plans: dict[Path, Faults] = {}
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        folder = Path(name)
        inject(patch, plans)
        stream = write_stream(folder / "d.csv", rows=100)
        plans[folder / "whole" / "a.run"] = undisturbed = Faults()
        expected = whole(stream, folder / "whole")
        last_commit, _ = undisturbed.commits[-1]

        def disturbed(case: tuple[int, str]) -> tuple[bool, float]:
            """Whether it ended as expected, and the seconds to the first commit after it."""
            n, kind = case
            path = folder / f"{kind}{n}"
            plans[path / "a.run"] = faults = Faults(n, kind, seconds=1.0)
            is_same = whole(stream, path) == expected
            later = [moment - faults.ended for _, moment in faults.commits if moment > faults.ended]
            return is_same, min(later, default=0.0 if n >= last_commit else float("inf"))

        cases = [(n, kind) for n in range(0, undisturbed.operations, every) for kind in KINDS]
        with ThreadPoolExecutor(AT_ONCE) as pool:
            ends = list(pool.map(disturbed, cases))
    same, longest = sum(is_same for is_same, _ in ends), max(seconds for _, seconds in ends)
    print(
        f"{len(cases)} failures of a second; {same} ended as if undisturbed; the next commit came "
        f"within {longest:.2f} s"
    )
    for case, (is_same, seconds) in zip(cases, ends, strict=True):
        if not is_same or seconds > 2.0:
            print("not as it should be:", *case, is_same, seconds)
    sys.exit(same != len(cases) or longest > 2.0)


if __name__ == "__main__":
    main()
