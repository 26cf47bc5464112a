"""The paper's experiments on flights, from the original files to the table.

    python tests/benchmarks/dataexpo.py RAW.csv.bz2...

Prepares the arrivals at the paper's seven airports and runs them under both presets and under the
labels distance with an hour of history, with logistic regression and Vowpal Wabbit. Prints error
rates in %.
"""

import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path

from macro_tui.cli import main as macro_tui

AIRPORTS = ("ATL", "ORD", "DEN", "PHX", "IAH", "LAS", "DFW")
EXPERIMENTS = {
    "features H=1": ["--preset", "paper-features"],
    "labels H=1": ["--preset", "paper-labels"],
    "labels H=6": ["--preset", "paper-labels", "--history", "6"],
}


def run(*arguments: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = macro_tui(list(arguments))
    if code != 0:
        raise SystemExit(f"macro-tui {' '.join(arguments)}: exit code {code}")
    return out.getvalue()


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    columns = [f"{what}, {name}" for name in EXPERIMENTS for what in ("FTL", "EWA")]
    print(f"| | marginal | {' | '.join(columns)} |")
    print("|---" * (len(columns) + 2) + "|")
    with tempfile.TemporaryDirectory() as folder:
        for airport in AIRPORTS:
            recording = str(Path(folder) / f"{airport}.parquet")
            run("prepare", "airline", *sys.argv[1:], "--airport", airport, "--out", recording)
        for subroutine in ("logistic", "vw"):
            for airport in AIRPORTS:
                recording = str(Path(folder) / f"{airport}.parquet")
                cells = []
                for options in EXPERIMENTS.values():
                    command = ["replay", recording, "--headless", "--json", *options]
                    summary = json.loads(run(*command, "--subroutine", subroutine))
                    errors = summary["errors"]
                    cells += [f"{100 * errors[who]:.2f}" for who in ("ftl", "ewa")]
                marginal = f"{100 * errors['marginal']:.2f}"
                cells = [f"{airport} {subroutine}", marginal, *cells]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
