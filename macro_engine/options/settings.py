"""The settings of a run, their origins and their precedence.

Values are kept as plain text, numbers and lists, so that they can be written down again.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from macro_engine.core.did_you_mean import did_you_mean
from macro_engine.core.errors import MacroError, UsageError
from macro_engine.core.escape import visible
from macro_engine.core.members import ALL, Member, grid
from macro_engine.discrepancy import DISTANCES
from macro_engine.options.late_labels import late_labels_of
from macro_engine.options.readers import ANY_NUMBER, MOST_THRESHOLDS, PAPER_THRESHOLDS, QUANTILES
from macro_engine.options.table import DEFAULTS, OPTIONS
from macro_engine.strategies import DEFAULT, PAPER, STRATEGIES, prediction_of
from macro_engine.stream.clock_columns import BOUNDS, NO_CLOCK, ON, clock_beside
from macro_engine.stream.label import RULE_CLASSES, LabelRule, parse_label
from macro_engine.stream.quantiles import QuantileRule
from macro_engine.stream.spec import (
    AHEAD,
    MEAN,
    NONE,
    REJECT,
    RUNNING,
    UNIT,
    StepLength,
    StreamSpec,
)
from macro_engine.subroutines import LOGISTIC

# A value named at one level makes these of weaker levels meaningless.
_DISCARDS = {"distance": ("history", "thresholds"), "label": ("classes",)}
_DISCARDS["subroutine"] = ("learning_rate",)
# What suits most streams that come one row at a time.
ONE_ROW = {"history": [6, 36], "thresholds": [0.01, 0.05, 0.1, 0.3, math.inf]}
MOST_SUBROUTINES = 64
INFERRED, _DEFAULT = "inferred", "default"  # origins; those of defaults go on from here
# What may be guessed and decides what a run is.
_GUESSES = (
    "label", "time", "features", "categorical", "clock", "every", "history", "thresholds",
    "strategies",
)  # fmt: skip


@dataclass(frozen=True)
class Layer:
    """Settings from one place; earlier layers win over later ones.

    Attributes
    ----------
    is_whole
        Whether it is a description or a preset: what it does not name is as in the paper.
    grids
        By distance, its values where a stronger layer names that distance.
    """

    origin: str
    values: Mapping[str, Any]
    is_whole: bool = False
    grids: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

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
                hint = did_you_mean(name, OPTIONS, otherwise=".")
                raise UsageError(
                    f"{source}: unknown key '{visible(name)}'{hint} Known are: {', '.join(OPTIONS)}"
                )
            where = option.flag if of_user else f"{source}: {name}"
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
    """The settings in force, and where each came from.

    `is_described` says that a description or a preset is among the places.
    """

    values: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)
    is_described: bool = False

    @staticmethod
    def merge(layers: Sequence[Layer]) -> Settings:
        """The strongest value of each option."""
        settings = Settings()
        discarded: set[str] = set()
        for layer in layers:
            grid_of_named = layer.grids.get(settings.values.get("distance", ""))
            left = grid_of_named or _without(layer.values, discarded)
            settings.add(Layer(layer.origin, left, layer.is_whole))
            for name in layer.values:
                discarded.update(_DISCARDS.get(name, ()))
        return settings

    def add(self, weaker: Layer) -> None:
        """Adds the settings of a weaker layer that are not set yet."""
        self.is_described = self.is_described or weaker.is_whole
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
        if (known := self.get("classes")) is not None:
            self.check_class(known)
        strategies = PAPER if self.is_described else DEFAULT
        self.add(Layer(_DEFAULT, DEFAULTS | {"strategies": list(strategies)}))
        self._check_learning_rate()
        self._choose_scale()
        self.add(Layer(_DEFAULT, {"missing": REJECT if self["scale"] == UNIT else MEAN}))
        self._choose_grid()
        self._check_histories()
        self._choose_strategy()

    def _check_learning_rate(self) -> None:
        if (learner := self["subroutine"]) == LOGISTIC:
            return
        if self.origins.pop("learning_rate") != _DEFAULT:
            raise UsageError(f"--learning-rate is for {LOGISTIC}, not for {visible(learner, 60)}")
        del self.values["learning_rate"]

    def _choose_scale(self) -> None:
        features, bounds = self.get("features") or [], self.get("bounds") or {}
        unknown = [name for name in features if name not in bounds]
        chosen = UNIT if features and not unknown else RUNNING
        self.add(Layer(_DEFAULT, {"scale": chosen}))
        if self.values["scale"] == UNIT and unknown:
            names = ", ".join(f"'{visible(name, 30)}'" for name in unknown[:5])
            more = f" and {len(unknown) - 5:,} more" if unknown[5:] else ""
            raise UsageError(
                f"--scale unit: there are no bounds for {names}{more}; write bounds = {{ "
                f'"{visible(unknown[0], 30)}" = [smallest, largest] }} into a TOML (--config), or '
                "take --scale running, which needs none"
            )

    def _choose_grid(self) -> None:
        """The history and thresholds of the distance, where they are not named."""
        name = self.values["distance"]
        distance = DISTANCES[name]
        if not self.is_described:
            self.add(Layer(_DEFAULT, {"max_subroutines": MOST_SUBROUTINES}))
            if name == "labels" and self.is_one_row:
                self.add(Layer("default for one row a step", ONE_ROW))
            if name == "features" and self.values["scale"] == RUNNING:
                self.add(Layer("default for features", {"thresholds": QUANTILES}))
        paper = sorted(distance.thresholds)
        self.add(Layer(f"default for {name}", {"history": distance.history, "thresholds": paper}))
        if self.values["thresholds"] == PAPER_THRESHOLDS:
            self.values["thresholds"] = paper

    @property
    def is_one_row(self) -> bool:
        """Whether a step is one row."""
        return StepLength.parse(self.values["every"]).rows == 1

    @property
    def _quantiles(self) -> QuantileRule | None:
        if self["thresholds"] != QUANTILES:
            return None
        scaled = self["scale"] != NONE
        return QuantileRule(self["distance"], tuple(self.histories), scaled, self["empty_class"])

    @property
    def has_clock(self) -> bool:
        """Whether columns are made from the time."""
        has_clock = bool(self.get("clock") == ON)
        if has_clock and self.get("time") is None:
            raise UsageError("--clock on needs a time column; name it with --time")
        return has_clock

    @property
    def remarks(self) -> list[str]:
        """Remarks on the settings, for the user."""
        if self["distance"] != "labels" or self._histories != [1] or not self.is_one_row:
            return []
        return [
            "one row a step and a history of 1: a history is one label, so that every threshold "
            "below 2 is the same algorithm; take longer histories (--history 6,36) or longer steps "
            "(--every 20, or --every 10m)"
        ]

    @property
    def most_subroutines(self) -> int | None:
        """The most subroutines of a member; None for any number."""
        most = self.get("max_subroutines")
        return None if most == ANY_NUMBER else most

    def _choose_strategy(self) -> None:
        if self.values.get("blend"):
            named = {*self.values["strategies"], "blend"}
            self.values["strategies"] = [name for name in STRATEGIES if name in named]
        computed = self.values["strategies"]
        self.add(Layer(_DEFAULT, {"strategy": prediction_of("", computed)}))
        if self.values["strategy"] not in computed:
            named = self.values["strategy"]
            hint = "; add --blend" if named == "blend" else ""
            raise UsageError(
                f"--strategy {named}: it is not computed; "
                f"--strategies names {', '.join(computed)}{hint}"
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
        if len(self.members) > MOST_THRESHOLDS:
            raise UsageError(
                f"--history: with {len(self['thresholds']):,} thresholds these are "
                f"{len(self.members):,} members, which are too many; at most {MOST_THRESHOLDS:,}"
            )

    def written(self) -> dict[str, Any]:
        """Every setting that has a value, so that they alone make the same run."""
        values = {name: value for name, value in self.values.items() if value is not None}
        return {"max_subroutines": ANY_NUMBER} | values

    def check_class(self, classes: Sequence[str]) -> None:
        """Refuse a class of which metrics should be told, and that there is not."""
        named = self.get("class")
        if named is not None and named not in classes:
            more = f" and {len(classes) - 10:,} more" if classes[10:] else ""
            known = ", ".join(visible(name, 30) for name in classes[:10]) + more
            raise UsageError(
                f"--class: there is no class '{visible(named, 60)}'; there are {known}"
            )

    @property
    def guessed(self) -> list[str]:
        """The names of the guessed and default settings, in display order."""
        if self.is_described:
            return []
        guesses = (INFERRED, _DEFAULT)
        return [name for name in _GUESSES if self.origins.get(name, _DEFAULT).startswith(guesses)]

    @property
    def following(self) -> set[str]:
        """Settings that need not be written down: `strategies` says all of it."""
        return {"blend", "strategy"} if self.origins["strategy"] == _DEFAULT else {"blend"}

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
        """The grid: the product of histories and thresholds; none where those are not known yet."""
        known = self.values["thresholds"]
        return () if known == QUANTILES else self.members_at(known)

    def members_at(self, thresholds: Sequence[float]) -> tuple[Member, ...]:
        """The grid with these thresholds."""
        return grid(self._histories, thresholds)

    def spec(self, columns: Sequence[str]) -> StreamSpec:
        """The stream's part, for files with these columns."""
        classes, label = self.get("classes"), parse_label(self["label"], columns)
        features, categorical = self.get("features") or (), self.get("categorical") or ()
        used = [*features, *categorical, label.column]
        known = {name: (low, high) for name, (low, high) in (self.get("bounds") or {}).items()}
        return StreamSpec(
            label=label,
            features=tuple(features),
            categorical=tuple(categorical),
            time=self.get("time"),
            time_format=self.get("time_format"),
            classes=tuple(classes) if classes else None,
            bounds=known | BOUNDS if self.has_clock else known,
            every=StepLength.parse(self["every"]),
            scale=self["scale"],
            missing=self["missing"],
            reject_late=self["late"] == "reject",
            ahead=StepLength.parse(self["ahead"]).microseconds or AHEAD,
            max_step=self["max_step"],
            wants_raw=DISTANCES[self["distance"]].compares_raw,
            wants_units=any(STRATEGIES[name].wants_units for name in self["strategies"]),
            clock=clock_beside(used) if self.has_clock else NO_CLOCK,
            quantiles=self._quantiles,
            late_labels=late_labels_of(self, columns),
        )


def _without(values: Mapping[str, Any], names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}
