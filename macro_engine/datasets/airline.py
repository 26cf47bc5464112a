"""The paper's airline stream, made from the original DataExpo 2009 files.

Arrivals at one airport in the order in which they were scheduled, told apart by whether they came
more than 15 minutes late.
"""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl

from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.output_path import resolve_output
from macro_engine.core.rows import Floats, Ints
from macro_engine.stream.clock_columns import TIME_OF_DAY, WEEKDAY, times_of_day, weekdays
from macro_engine.stream.formats.csv import CsvFile
from macro_engine.stream.formats.parquet import KEY
from macro_engine.stream.formats.text_column import TextColumn
from macro_engine.stream.table import Column, Table

DAY = 1440  # minutes

# the numbers that a flight must have, and between which values they make sense
_NUMBERS = {
    "Year": (1900, 2100),
    "Month": (1, 12),
    "DayofMonth": (1, 31),
    "CRSDepTime": (0, 2400),
    "CRSArrTime": (0, 2400),
    "ArrDelay": (-32_768, 32_767),
    "Distance": (0, 32_767),
}
_TEXTS = ("CRSElapsedTime", "UniqueCarrier", "Origin")
_COLUMNS = (*_NUMBERS, *_TEXTS, "Dest", "Cancelled", "Diverted")


@dataclass
class Prepared:
    """The numbers of flights read, used and left out."""

    rows: int = 0
    arrivals: int = 0
    cancelled: int = 0
    diverted: int = 0
    unusable: int = 0
    broken: int = 0
    first_unusable: str | None = None
    airports: Counter[str] = field(default_factory=Counter)


def prepare(
    paths: Sequence[Path],
    airport: str,
    out: Path,
    progress: Callable[[float, int], object] = lambda _done, _rows: None,
) -> Prepared:
    """Write the arrivals at an airport as a self-describing recording.

    `progress` is told the share of the input that was read and the number of rows so far.
    """
    return prepare_many(paths, {airport: out}, progress)[airport]


def prepare_many(
    paths: Sequence[Path],
    recordings: Mapping[str, Path],
    progress: Callable[[float, int], object] = lambda _done, _rows: None,
    all_needed: bool = True,
) -> dict[str, Prepared]:
    """Write one recording for each airport; the files are read once. See `prepare`.

    Without `all_needed`, an airport at which no flight arrives gets none.
    """
    found = {airport: Prepared() for airport in recordings}
    frames: dict[str, list[pl.DataFrame]] = {airport: [] for airport in recordings}
    for out in recordings.values():
        if not out.absolute().parent.is_dir():
            raise MacroError(f"{visible(out)} cannot be written: its folder does not exist")
    files = [_open(path) for path in paths]
    rows = 0
    for number, file in enumerate(files):
        for table in file.tables(_COLUMNS):
            rows += len(table) + len(table.broken)
            destinations = table.columns["Dest"].texts()
            for airport, result in found.items():
                frames[airport].append(_arrivals(table, destinations, airport, result))
            progress((number + file.done) / len(files), rows)
    for airport, out in recordings.items():
        if not all_needed and not found[airport].arrivals:
            continue
        _check_arrivals(airport, found[airport], len(paths))
        arrivals = pl.concat(frames[airport]).sort("arrival", maintain_order=True)
        write_recording(arrivals, out, "arrival", ("weekday", "carrier", "origin"))
    return found


def _check_arrivals(airport: str, result: Prepared, files: int) -> None:
    if not result.arrivals:
        most = ", ".join(visible(name) for name, _ in result.airports.most_common(10))
        raise UsageError(
            f"no flight arrives at '{visible(airport)}' in {files} file(s) with "
            f"{result.rows:,} rows" + (f"; most arrive at: {most}" if most else "")
        )


def _open(path: Path) -> CsvFile:
    try:
        file = CsvFile(path)
    except OSError as error:
        raise MacroError(f"{visible(path)} cannot be opened: {error.strerror}") from None
    for column in _COLUMNS:
        if column not in file.names:
            raise UsageError(
                f"{visible(path)} is not a DataExpo airline file: it has no column '{column}'"
            )
    return file


def _arrivals(
    table: Table, destinations: Sequence[str], airport: str, result: Prepared
) -> pl.DataFrame:
    """The usable arrivals among some rows, with the columns of the recording."""
    result.rows += len(table) + len(table.broken)
    result.broken += len(table.broken)
    result.airports.update(destinations)
    here = [i for i, destination in enumerate(destinations) if destination == airport]
    texts = {name: table.columns[name].texts() for name in ("Cancelled", "Diverted")}
    cancelled = {i for i in here if texts["Cancelled"][i] == "1"}
    diverted = {i for i in here if texts["Diverted"][i] == "1"} - cancelled
    result.cancelled += len(cancelled)
    result.diverted += len(diverted)
    flown = [i for i in here if i not in cancelled and i not in diverted]
    columns = {name: _at(table.columns[name], flown) for name in _COLUMNS}
    numbers: dict[str, Floats] = {}
    unusable: set[int] = set()
    for name in _NUMBERS:
        numbers[name], problems = columns[name].numbers()
        unusable.update(problems)
        low, high = _NUMBERS[name]
        unusable.update(np.flatnonzero((numbers[name] < low) | (numbers[name] > high)).tolist())
        if name.startswith("CRS"):
            unusable.update(np.flatnonzero(numbers[name] % 100 >= 60).tolist())
    if unusable:
        result.unusable += len(unusable)
        if result.first_unusable is None:
            line = int(table.lines[flown[min(unusable)]])
            result.first_unusable = f"{visible(table.file)}, line {line}"
    usable = [i for i in range(len(flown)) if i not in unusable]
    result.arrivals += len(usable)
    chosen = {name: values[usable].astype(np.int64) for name, values in numbers.items()}
    kept = {name: _at(columns[name], usable).texts() for name in _TEXTS}
    arrival = scheduled_arrival(
        chosen["Year"],
        chosen["Month"],
        chosen["DayofMonth"],
        chosen["CRSDepTime"],
        chosen["CRSArrTime"],
        _elapsed(kept["CRSElapsedTime"], chosen["Distance"]),
    )
    return pl.DataFrame(
        {
            "arrival": pl.Series(arrival * 60_000).cast(pl.Datetime("ms")),
            **clock_columns(arrival),
            "distance": pl.Series(chosen["Distance"], dtype=pl.Int16),
            "carrier": pl.Series(kept["UniqueCarrier"], dtype=pl.String),
            "origin": pl.Series(kept["Origin"], dtype=pl.String),
            "delay": pl.Series(chosen["ArrDelay"], dtype=pl.Int16),
            "landed": pl.Series((arrival + chosen["ArrDelay"]) * 60_000).cast(pl.Datetime("ms")),
        }
    )


def _at(column: Column, rows: Sequence[int]) -> TextColumn:
    texts = column.texts()
    return TextColumn([texts[i] for i in rows])


def scheduled_arrival(
    year: Ints, month: Ints, day: Ints, departure: Ints, arrival: Ints, elapsed: Ints
) -> Ints:
    """Minutes since 1970 of the scheduled arrival, in local time of the destination.

    The files give the date of the departure and both times as hhmm, each in its own zone. The
    arrival's date is the one that brings it closest to departure plus scheduled duration: zones
    within the United States differ by less than half a day.

    >>> one = lambda *values: [np.array([v]) for v in values]
    >>> int(scheduled_arrival(*one(2008, 1, 1, 2330, 2400, 30))[0]) - 24 * 60 * 13879
    1440
    """
    months = (year - 1970) * 12 + month - 1
    days = months.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64) + day - 1
    expected = days * DAY + _minutes(departure) + elapsed
    clock = _minutes(arrival) % DAY
    nearest: Ints = np.rint((expected - clock) / DAY).astype(np.int64) * DAY + clock
    return nearest


def _minutes(hhmm: Ints) -> Ints:
    return hhmm // 100 * 60 + hhmm % 100


def _elapsed(texts: Sequence[str], distance: Ints) -> Ints:
    """The scheduled duration in minutes, estimated from the distance where it makes no sense."""
    minutes, missing = TextColumn(texts).numbers()
    absurd = np.flatnonzero(np.abs(minutes) > DAY)
    unknown = [*missing, *absurd.tolist()]
    minutes[unknown] = (40 + distance // 8)[unknown]
    return minutes.astype(np.int64)


def clock_columns(minutes: Ints) -> dict[str, pl.Series]:
    """The time of day and the weekday, so many minutes after 1970."""
    times = times_of_day(minutes % DAY / DAY)
    found = {name: pl.Series(times[:, c]) for c, name in enumerate(TIME_OF_DAY)}
    return found | {WEEKDAY: pl.Series(weekdays(minutes // DAY))}


def write_recording(
    flights: pl.DataFrame, path: Path, time: str, categories: Sequence[str]
) -> None:
    """Write flights as a recording that describes itself; it appears when it is whole."""
    unit = [0.0, 1.0]
    span = flights.select(low=pl.col("distance").min(), high=pl.col("distance").max()).row(0)
    description = {
        "time": time,
        "label": "delay > 15",
        "features": ["time_of_day", "time_sin", "time_cos", "distance"],
        "categorical": list(categories),
        "classes": ["0", "1"],
        "every": "10m",
        "bounds": {
            "time_of_day": unit,
            "time_sin": unit,
            "time_cos": unit,
            "distance": [float(span[0]), float(span[1])],
        },
        "distance": "labels",
        "history": 6,
    }
    place = resolve_output(path)
    part = place.with_name(f".{place.name}.{uuid.uuid4().hex}.part")  # others may make it too
    try:
        flights.write_parquet(
            part,
            compression="zstd",
            compression_level=19,
            metadata={KEY: json.dumps(description)},
        )
        part.replace(place)
    except OSError as error:
        raise MacroError(f"{visible(path)} cannot be written: {visible(error)}") from None
    finally:
        part.unlink(missing_ok=True)
