"""Memory while a large recording is read, encoded and cut into steps.

    python tests/benchmarks/large_files.py [ROWS [csv]]

Makes a recording (50 million rows in a Parquet file unless told otherwise) in a temporary folder, reads it from end to
end in another process, and prints rows per second and that process's peak memory.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter


def make(path: Path, rows: int) -> None:
    import numpy as np
    import polars as pl

    rng = np.random.default_rng(0)
    frame = pl.DataFrame(
        {
            "time": pl.Series(np.arange(rows) * 1_000_000).cast(pl.Datetime("us")),
            "a": rng.random(rows, dtype=np.float32).astype(np.float64),
            "b": rng.integers(0, 1000, rows).astype(np.float64),
            "place": pl.Series(rng.integers(0, 50, rows).astype(np.int16)).cast(pl.String),
            "label": rng.integers(0, 2, rows).astype(np.int8),
        }
    )
    if path.suffix == ".csv":
        frame.write_csv(path)
    else:
        frame.write_parquet(path)


def read(path: Path) -> None:
    from macro_engine.options.settings import Layer
    from macro_engine.stream.opening import COMMAND_LINE, open_stream
    from macro_engine.stream.table import Rejections

    raw = {"time": "time", "label": "label", "features": "a,b", "categorical": "place"}
    opened = open_stream([path], [Layer.read(COMMAND_LINE, raw | {"every": "10m"}, of_user=True)])
    recording = opened.reader(Rejections())
    started = perf_counter()
    for _block in recording.blocks():
        pass
    seconds = perf_counter() - started
    print(
        json.dumps({"rows": recording.rows, "seconds": seconds, "peak_megabytes": peak_megabytes()})
    )


def peak_megabytes() -> int:
    """Of this process alone: getrusage starts a child at the peak of its parent."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) // 1024


def main() -> None:
    if sys.argv[1:2] == ["--make"]:
        make(Path(sys.argv[2]), int(sys.argv[3]))
        return
    if sys.argv[1:2] == ["--read"]:
        read(Path(sys.argv[2]))
        return
    rows = int(sys.argv[1]) if sys.argv[1:] else 50_000_000
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"large.{'csv' if 'csv' in sys.argv else 'parquet'}"
        subprocess.run([sys.executable, __file__, "--make", str(path), str(rows)], check=True)
        done = subprocess.run(
            [sys.executable, __file__, "--read", str(path)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    result = json.loads(done.stdout)
    print(
        f"{result['rows']:,} rows in {result['seconds']:.1f} s, "
        f"{result['rows'] / result['seconds']:,.0f} rows/s, "
        f"peak memory {result['peak_megabytes']:,} MB"
    )


if __name__ == "__main__":
    main()
