"""Error rates on the Breakfast videos, averaged over persons for each activity.

    python tests/benchmarks/breakfast.py DIR [--distance labels]

DIR has the layout that `macro_engine/stream/formats/npy.py` describes. The preset breakfast is run
over every video, as `macro-tui replay VIDEO.npy --preset breakfast --json` runs it; further options
are passed on. Prints a table in %, activities down, thresholds across.
"""

import contextlib
import io
import json
import sys
from collections import defaultdict
from pathlib import Path

from macro_tui.cli import main as macro_tui


def errors(video: Path, options: list[str]) -> dict[str, float]:
    """The share of wrong frames of each contender."""
    out = io.StringIO()
    command = ["replay", str(video), "--preset", "breakfast", "--headless", "--json", *options]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = macro_tui(command)
    if code != 0:
        raise SystemExit(f"{video}: exit code {code}")
    summary = json.loads(out.getvalue())
    return summary["errors"] | {f"{t['threshold']:g}": t["error"] for t in summary["thresholds"]}


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    videos = sorted((Path(sys.argv[1]) / "features").glob("*.npy"))
    found: dict[str, list[dict[str, float]]] = defaultdict(list)
    for video in videos:
        activity = video.stem.rsplit("_", 1)[-1]
        found[activity].append(errors(video, sys.argv[2:]))
        print(f"{video.stem}: {found[activity][-1]['ftl']:.4f}", file=sys.stderr, flush=True)
    columns = list(next(iter(found.values()))[0])
    print(f"| | videos | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 2) + "|")
    for activity, runs in sorted(found.items()):
        means = [f"{100 * sum(run[c] for run in runs) / len(runs):.1f}" for c in columns]
        print(f"| {activity} | {len(runs)} | {' | '.join(means)} |")


if __name__ == "__main__":
    main()
