"""The options of a run: where each came from, and which of several wins.

One table drives the command line, the TOML beside the data and the description inside a Parquet
file. Values are kept as plain text, numbers and lists, so that they can be written down again.
"""

from __future__ import annotations

import csv
import difflib
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from macro_engine.algorithm.conversion import OUTPUTS
from macro_engine.core.members import ALL, Member, grid, sorted_histories
from macro_engine.discrepancy import DISTANCES, EMPTY_CLASS
from macro_engine.errors import MacroError, UsageError
from macro_engine.options import DESCRIPTIONS, Description
from macro_engine.strategies import DEFAULT, STRATEGIES
from macro_engine.stream.dialect import DELIMITERS
from macro_engine.stream.label import RULE_CLASSES, LabelRule, parse_label
from macro_engine.stream.spec import AHEAD, MAX_STEP, MOST_CLASSES, Every, StreamSpec
from macro_engine.visible import visible

_MOST_THRESHOLDS = 1_000


@dataclass(frozen=True)
class Option:
    """One setting.

    `read` takes the text of the command line or the value from a file, and returns the plain
    value or raises ValueError with a sentence that says what is wrong.
    """

    about: Description
    read: Callable[[Any], Any]


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"a text is expected, not {visible(value)!r}")
    return value


def _time(value: Any) -> str | None:
    """The name of a column; an empty one says that there is none, so that none is looked for."""
    return None if value == "" else _text(value)


def _list(value: Any) -> Any:
    """What was typed, cut at its commas; a name with a comma in it is put in double quotes."""
    if not isinstance(value, str):
        return value
    return [item.strip() for row in csv.reader([value], skipinitialspace=True) for item in row]


def _names(value: Any) -> list[str]:
    items = _list(value)
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise ValueError(f"names of columns are expected, not {visible(value)!r}")
    return [item for item in items if item]


def _classes(value: Any) -> list[str]:
    items = _list(value)
    if not isinstance(items, list) or not all(isinstance(i, str | int) for i in items):
        raise ValueError(f"names of classes are expected, not {visible(value)!r}")
    names = [str(item) for item in items]
    if len(names) < 2:
        raise ValueError("at least two classes are needed, in their order, as in --classes 0,1")
    if len(set(names)) < len(names):
        raise ValueError("the same class is named twice")
    if len(names) > MOST_CLASSES:
        raise ValueError(f"{len(names):,} classes are too many; at most {MOST_CLASSES}")
    return names


def _every(value: Any) -> str:
    text = str(value)
    Every.parse(text)
    return text.strip()


def _length(value: Any) -> str:
    """A length of time."""
    text = str(value).strip()
    try:
        length = Every.parse(text).microseconds
    except ValueError:
        length = None
    if length is None:
        raise ValueError(f"'{visible(value)}' is no length of time; write 1d (ms s m h d)")
    return text


def _one_of(*choices: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in choices:
            near = difflib.get_close_matches(str(value), choices, n=1)
            hint = f", did you mean '{near[0]}'?" if near else ";"
            raise ValueError(f"'{visible(value)}' is unknown{hint} one of: {', '.join(choices)}")
        return str(value)

    return read


def _delimiter(value: Any) -> str:
    value = {"tab": "\t", "\\t": "\t"}.get(str(value), value)
    if value not in DELIMITERS:
        raise ValueError(f"'{visible(value)}' is no delimiter; one of: , ; | tab")
    return str(value)


def _number(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number) or isinstance(value, bool):
        raise ValueError(f"'{visible(value)}' is not a number")
    return number


def _bounds(value: Any) -> dict[str, list[float]]:
    if not isinstance(value, dict):
        raise ValueError("a table of COLUMN = [smallest, largest] is expected")
    bounds = {}
    for column, pair in value.items():
        if not isinstance(pair, list) or len(pair) != 2:
            raise ValueError(f"'{visible(column)}' needs [smallest, largest]")
        low, high = map(_number, pair)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise ValueError(f"'{visible(column)}': {low} to {high} is no range of numbers")
        bounds[column] = [low, high]
    return bounds


def _whole(what: str, least: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        text = str(value)
        plain = not isinstance(value, bool) and text.isascii() and text.isdigit() and len(text) < 10
        if not plain or int(text) < least:
            raise ValueError(f"'{visible(value)}' is no {what}; write a whole number from {least}")
        return int(text)

    return read


def _history(value: Any) -> int | str | list[int | str]:
    """One number of steps, or a list of them, rising; `all` comes last."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list | tuple):
        items = [items]
    if not items:
        raise ValueError("numbers of steps are expected, as in 6,36")
    read = _whole("number of steps, nor all", 0)
    trimmed = [item.strip() if isinstance(item, str) else item for item in items]
    histories = sorted_histories(ALL if item == ALL else read(item) for item in trimmed)
    return histories[0] if len(histories) == 1 else histories


def _thresholds(value: Any) -> list[float]:
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list) or not items:
        raise ValueError("numbers are expected, as in .1,.2,.5")
    numbers = [_number(item) for item in items]
    if min(numbers) < 0:
        raise ValueError(f"a threshold cannot be negative, as {min(numbers)} is")
    if len(set(numbers)) > _MOST_THRESHOLDS:
        raise ValueError(f"{len(set(numbers)):,} are too many; at most {_MOST_THRESHOLDS:,}")
    return sorted(set(numbers))


def _share(value: Any) -> float:
    number = _number(value)
    if not 0.0 < number < 1.0:
        raise ValueError(f"{number:g} does not lie between 0 and 1")
    return number


def _power(value: Any) -> float:
    number = _number(value)
    if not 0.0 <= number < math.inf:
        raise ValueError(f"{number:g} is no power; write 0 or more, as in .25")
    return number


def _strategy(value: Any) -> str:
    return _one_of(*STRATEGIES)(value)  # which may have grown since this was loaded


def _strategies(value: Any) -> list[str]:
    """Names of strategies, in the order of the registry."""
    items = value.split(",") if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not items:
        raise ValueError("names of strategies are expected, as in ftl,ewa")
    named = {_strategy(item.strip() if isinstance(item, str) else item) for item in items}
    return [name for name in STRATEGIES if name in named]


_READERS: dict[str, Callable[[Any], Any]] = {
    "time": _time,
    "time_format": _text,
    "label": _text,
    "features": _names,
    "categorical": _names,
    "classes": _classes,
    "every": _every,
    "scale": _one_of("unit", "none"),
    "late": _one_of("join", "reject"),
    "ahead": _length,
    "max_step": _whole("number of rows", 1),
    "delimiter": _delimiter,
    "decimal": _one_of(".", ","),
    "bounds": _bounds,
    "distance": _one_of(*DISTANCES),
    "history": _history,
    "thresholds": _thresholds,
    "subroutine": _text,
    "strategy": _strategy,
    "strategies": _strategies,
    "output": _one_of(*OUTPUTS),
    "delta": _share,
    "eps_power": _power,
    "max_subroutines": _whole("number of subroutines", 1),
    "empty_class": _one_of(*EMPTY_CLASS),
    "seed": _whole("seed", 0),
}
OPTIONS = {about.name: Option(about, _READERS[about.name]) for about in DESCRIPTIONS}

_DEFAULTS = {
    "every": "1",
    "scale": "unit",
    "late": "join",
    "ahead": "1d",
    "max_step": MAX_STEP,
    "distance": "labels",
    "subroutine": "logistic",
    "strategies": list(DEFAULT),
    "output": "last",
    "delta": 0.05,
    "eps_power": 0.0,
    "empty_class": "far",
}

# A value named at one level makes these of weaker levels meaningless.
_DISCARDS = {"distance": ("history", "thresholds"), "label": ("classes",)}


@dataclass(frozen=True)
class Layer:
    """Settings from one place; earlier layers win over later ones."""

    origin: str
    values: Mapping[str, Any]

    @staticmethod
    def read(
        origin: str, raw: Mapping[str, Any], file: Path | None = None, of_user: bool = False
    ) -> Layer:
        """Check raw values; `of_user` says that they were typed and may name code to run."""
        source = visible(origin if file is None else file)
        values = {}
        for name, value in raw.items():
            option = OPTIONS.get(name)
            if option is None:
                near = difflib.get_close_matches(name, OPTIONS, n=1)
                hint = f", did you mean '{near[0]}'?" if near else "."
                raise UsageError(
                    f"{source}: unknown key '{visible(name)}'{hint} Known are: {', '.join(OPTIONS)}"
                )
            where = f"--{name.replace('_', '-')}" if of_user else f"{source}: {name}"
            try:
                values[name] = option.read(value)
            except ValueError as error:
                raise UsageError(f"{where}: {error}") from None
        if not of_user and str(values.get("subroutine", "")).startswith("python:"):
            raise UsageError(
                f"{source}: subroutine: python:... runs code and is taken from the "
                "command line only; pass it with --subroutine"
            )
        return Layer(origin, values)

    @staticmethod
    def from_toml(path: Path) -> Layer:
        try:
            raw = tomllib.loads(path.read_text("utf-8-sig"))
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{visible(path)} is not TOML: {visible(error)}") from None
        except OSError as error:
            raise MacroError(f"{visible(path)} cannot be read: {error.strerror}") from None
        return Layer.read(path.name, raw, path)


@dataclass
class Settings:
    """The settings in force, and where each came from."""

    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)

    @staticmethod
    def merge(layers: Sequence[Layer]) -> Settings:
        """The strongest value of each option."""
        settings = Settings()
        discarded: set[str] = set()
        for layer in layers:
            settings.add(Layer(layer.origin, _without(layer.values, discarded)))
            for name in layer.values:
                discarded.update(_DISCARDS.get(name, ()))
        return settings

    def add(self, weaker: Layer) -> None:
        """Take from a weaker layer what is not set yet."""
        for name, value in weaker.values.items():
            if name not in self.values:
                self.values[name] = value
                self.origins[name] = weaker.origin

    def complete(self, columns: Sequence[str]) -> None:
        """Fill in the defaults and check what only makes sense together."""
        if isinstance(parse_label(self.values["label"], columns), LabelRule):
            if self.values.get("classes", list(RULE_CLASSES)) != list(RULE_CLASSES):
                raise UsageError(
                    "--classes: a label rule always has the classes 0 and 1; leave the option out"
                )
            self.values["classes"] = list(RULE_CLASSES)
            self.origins["classes"] = "label rule"
        self.add(Layer("default", _DEFAULTS))
        distance = DISTANCES[self.values["distance"]]
        self.add(
            Layer(
                f"default for {self.values['distance']}",
                {"history": distance.history, "thresholds": sorted(distance.thresholds)},
            )
        )
        self._check_histories()
        self._choose_strategy()

    def _choose_strategy(self) -> None:
        computed = self.values["strategies"]
        chosen = "ftl" if "ftl" in computed else computed[0]
        self.add(Layer("default", {"strategy": chosen}))
        if self.values["strategy"] not in computed:
            raise UsageError(
                f"--strategy {self.values['strategy']}: it is not computed; "
                f"--strategies names {', '.join(computed)}"
            )

    def _check_histories(self) -> None:
        name, histories = self.values["distance"], self._histories
        distance = DISTANCES[name]
        if 0 in histories and distance.history != 0:
            raise UsageError(
                f"--history 0 leaves the distance '{name}' nothing to compare; take at least 1"
            )
        if len(histories) > 1 and not distance.takes_several_histories:
            several = [n for n, d in DISTANCES.items() if d.takes_several_histories]
            raise UsageError(
                f"--history: the distance '{name}' takes one history; "
                f"lists are for {' and '.join(several)}"
            )
        if len(self.members) > _MOST_THRESHOLDS:
            raise UsageError(
                f"--history: with {len(self['thresholds']):,} thresholds these are "
                f"{len(self.members):,} members, which are too many; at most {_MOST_THRESHOLDS:,}"
            )

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    def get(self, name: str) -> Any:
        return self.values.get(name)

    @property
    def _histories(self) -> list[int | str]:
        value = self.values["history"]
        return value if isinstance(value, list) else [value]

    @property
    def histories(self) -> list[int | None]:
        """Each H, rising; None for all."""
        return [None if history == ALL else int(history) for history in self._histories]

    @property
    def members(self) -> tuple[Member, ...]:
        """The grid: the product of histories and thresholds."""
        return grid(self._histories, self.values["thresholds"])

    def spec(self, columns: Sequence[str]) -> StreamSpec:
        """The stream's part, for files with these columns."""
        classes = self.get("classes")
        return StreamSpec(
            label=parse_label(self["label"], columns),
            features=tuple(self.get("features") or ()),
            categorical=tuple(self.get("categorical") or ()),
            time=self.get("time"),
            time_format=self.get("time_format"),
            classes=tuple(classes) if classes else None,
            bounds={name: (low, high) for name, (low, high) in (self.get("bounds") or {}).items()},
            every=Every.parse(self["every"]),
            scaled=self["scale"] == "unit",
            reject_late=self["late"] == "reject",
            ahead=Every.parse(self["ahead"]).microseconds or AHEAD,
            max_step=self["max_step"],
        )


def _without(values: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}
