"""The streams of the experiment on flights: prepared recordings, or raw files."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.datasets.airline import prepare_many
from macro_engine.experiments.paper_figures import AIRPORTS
from macro_engine.work.identity import fingerprint, program

_RAW = (".csv", ".csv.bz2", ".csv.gz")
_PREPARED = re.compile(r"(?:.*[-_])?([A-Z0-9]{3})\.parquet")


def recordings(
    data: Sequence[Path],
    airports: Sequence[str],
    made: Path,
    progress: Callable[[float, int], object] = lambda _done, _rows: None,
) -> dict[str, Path]:
    """The recording of each airport, in the order of the paper, then by name.

    Parameters
    ----------
    data
        Prepared recordings, whose names end in the airport's code, raw DataExpo files, or folders
        of either.
    airports
        Those that are wanted; none for all that the data has.
    made
        The folder for recordings that are made from raw files; they are found again there.
    """
    files = [file for path in data for file in _files(path)]
    raw = [file for file in files if file.name.lower().endswith(_RAW)]
    found: dict[str, Path] = {}
    for file in files:
        if file in raw:
            continue
        named = _PREPARED.fullmatch(file.name)
        if named is None:
            raise UsageError(
                f"--data {visible(file)}: name a recording after its airport, as in "
                "airline-ATL.parquet, or give raw files (.csv, .csv.bz2, .csv.gz)"
            )
        if named[1] in found:
            raise UsageError(f"--data names two recordings of {named[1]}; leave one out")
        found[named[1]] = file
    if raw:
        wanted = [code for code in airports or AIRPORTS if code not in found]
        found |= _made_from(raw, wanted, made, bool(airports), progress)
    absent = [code for code in airports if code not in found]
    if absent:
        known = ", ".join(found) or "none"
        raise UsageError(
            f"--airports: there is no {visible(absent[0])} in the data; known: {known}"
        )
    chosen = [code for code in found if not airports or code in airports]
    places = {code: place for place, code in enumerate(AIRPORTS)}
    return {code: found[code] for code in sorted(chosen, key=lambda c: (places.get(c, 99), c))}


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise MacroError(f"--data {visible(path)}: there is no such file or folder")
    if not path.is_dir():
        return [path]
    held = sorted(path.iterdir())
    prepared = [file for file in held if _PREPARED.fullmatch(file.name)]
    found = prepared or [file for file in held if file.name.lower().endswith(_RAW)]
    if not found:
        raise UsageError(
            f"--data {visible(path)}: it has neither recordings (airline-ATL.parquet) nor raw "
            "files (.csv, .csv.bz2, .csv.gz)"
        )
    return found


def _made_from(
    raw: Sequence[Path],
    airports: Sequence[str],
    made: Path,
    all_needed: bool,
    progress: Callable[[float, int], object],
) -> dict[str, Path]:
    """Recordings made from raw files, in a folder that their content names."""
    content = "".join([program(), *(fingerprint(path) for path in raw)])
    folder = made / f"flights-{hashlib.sha256(content.encode()).hexdigest()[:16]}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MacroError(
            f"{visible(folder)} cannot be made for the recordings ({error.strerror}); name another "
            "folder with --cache"
        ) from None
    places = {code: folder / f"airline-{code}.parquet" for code in airports}
    missing = {code: place for code, place in places.items() if not place.is_file()}
    if missing:
        prepared = prepare_many(raw, missing, progress, all_needed)
        if not any(one.arrivals for one in prepared.values()):
            raise UsageError(
                f"no flight arrives at {', '.join(missing)} in {len(raw)} file(s); name others "
                "with --airports"
            )
    return {code: place for code, place in places.items() if place.is_file()}
