"""Whether any damage to a run file goes unnoticed.

    python tests/benchmarks/damage.py [DAMAGES [SEED]]

Damages copies of two run files at random, one of a stopped run and one that a killed process left:
bits flipped, blocks of 4 kB zeroed, overwritten or exchanged, the file or its log cut short. After
each, export must either give what the original gives, or exit with 1, say what is damaged and have
written nothing else than rows of the original; watching and resuming must never give other numbers.
"""

import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from made_damage import Originals

from macro_engine.run.store import recorder


def main() -> None:
    damages = int(sys.argv[1]) if sys.argv[1:] else 1000
    seed = int(sys.argv[2]) if sys.argv[2:] else 0
    recorder.COMMIT_SECONDS = 0.0  # so that there are many commits
    silent = failed = 0
    with tempfile.TemporaryDirectory() as name:
        originals = Originals(Path(name))
        for number in range(seed, seed + damages):
            try:
                done, wrong = originals.try_damage(number)
            except Exception:
                failed += 1
                print(f"seed {number}:", file=sys.stderr)
                traceback.print_exc()
                continue
            if wrong:
                silent += 1
                print(f"seed {number}, {done}: {'; '.join(wrong)}", file=sys.stderr)
    print(f"{damages} damages: {silent} silent, {failed} not in words")
    sys.exit(silent + failed > 0)


if __name__ == "__main__":
    main()
