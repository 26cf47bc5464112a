"""MACRO as a River classifier."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from river import base
from river.utils import dataframe

from macro_engine.core.members import grid
from macro_engine.discrepancy import DISTANCES
from macro_engine.estimator.compiled_path import COMPILED, CompiledPath
from macro_engine.estimator.general_path import GeneralPath
from macro_engine.estimator.growing_strategy import check_strategy
from macro_engine.estimator.path_settings import PathSettings
from macro_engine.options.readers import PAPER_THRESHOLDS
from macro_engine.options.settings import MOST_SUBROUTINES, ONE_ROW
from macro_engine.options.table import OPTIONS
from macro_engine.subroutines.learning_rate import SQRT, LearningRate

if TYPE_CHECKING:
    from narwhals.stable.v2.typing import IntoDataFrame, IntoSeries

__all__ = ["MacroClassifier"]

_SCALES = ("running", "none")

_CHECKED = (
    "distance", "history", "thresholds", "eps_power", "max_subroutines", "empty_class",
    "learning_rate",
)  # fmt: skip


class MacroClassifier(base.MiniBatchClassifier):
    """MACRO: many copies of a model, each trained only on moments that looked alike.

    The meta-algorithm of Zimin and Lampert runs at a grid of histories and thresholds; a strategy
    combines their predictions. Features are ordered by name; a feature that is not a number is
    one-hot encoded. New classes may appear at any time. Use a model in one thread at a time, also
    for predicting.

    Parameters
    ----------
    model
        The classifier to copy. Defaults to logistic regression by stochastic gradient descent, for
        any number of classes, on compiled loops. A binary model takes two labels of any kind: it
        sees False for the first one.
    distance
        `labels`, `features`, `frames`, `markov` or `iid`.
    history
        The number of steps in a history, or `all`. Defaults to 6 and 36 for labels with one row a
        step, else to the paper's number for the distance. Several numbers, for the distances
        `labels` and `features`, form a grid with the thresholds.
    thresholds
        Defaults to 0.01, 0.05, 0.1, 0.3 and infinity for labels with one row a step, else to those
        of the `paper` for the distance; with features these are meant for numbers in [0, 1].
    strategy
        `blend`, `ftl`, `ewa` or the name of a registered strategy. `blend` stacks the copies and
        nine other experts on log loss, for up to 100 classes: its tiles use the features of the
        first row, and only its linear experts use features that appear later.
    every
        The number of rows in a step. Rows are learned when their step is complete.
    eps_power
        Thresholds fall as (t + 1)^-eps_power.
    max_subroutines
        The most copies that a member of the grid may have, or None for any number.
    empty_class
        For the distance `features`: how to count a class that only one history has.
    scale
        `running` scales each number by its mean and deviation in the steps before, and replaces a
        missing one by the mean. `none` does not scale, and replaces a missing number by 0: put a
        scaler before the model.
    learning_rate
        The learning rate of the default model: `sqrt` for 1/sqrt(t), or a number for a constant
        rate.

    Examples
    --------

    A feature means one thing for a while, then the opposite, then the first again. A single model
    has to relearn each time; MACRO has a model for each situation and detects which one it is in:

    >>> from river import evaluate, linear_model, metrics

    >>> def stream():
    ...     for i in range(3000):
    ...         x = {"a": (i * 7 % 10) / 10 - 0.45, "turned": i // 300 % 2}
    ...         yield x, (x["a"] > 0) != x["turned"]

    >>> evaluate.progressive_val_score(
    ...     stream(), linear_model.LogisticRegression(), metrics.Accuracy())
    Accuracy: 47.13%

    >>> model = MacroClassifier(
    ...     linear_model.LogisticRegression(), distance="features", every=10, strategy="ftl",
    ...     scale="none")
    >>> evaluate.progressive_val_score(stream(), model, metrics.Accuracy())
    Accuracy: 87.47%

    With the other experts beside it, one row a step:

    >>> evaluate.progressive_val_score(stream(), MacroClassifier(), metrics.Accuracy())
    Accuracy: 99.67%
    """

    def __init__(
        self,
        model: base.Classifier | None = None,
        distance: str = "labels",
        history: int | str | Sequence[int | str] | None = None,
        thresholds: Sequence[float] | str | None = None,
        strategy: str = "blend",
        every: int = 1,
        eps_power: float = 0.0,
        max_subroutines: int | None = MOST_SUBROUTINES,
        empty_class: str = "far",
        scale: str = "running",
        learning_rate: LearningRate = SQRT,
    ) -> None:
        self.model = model
        self.distance = distance
        self.history = history
        self.thresholds = thresholds
        self.strategy = strategy
        self.every = every
        self.eps_power = eps_power
        self.max_subroutines = max_subroutines
        self.empty_class = empty_class
        self.scale = scale
        self.learning_rate = learning_rate

        for name in _CHECKED:
            if (value := getattr(self, name)) is not None:
                read = OPTIONS[name].read(list(value) if isinstance(value, tuple) else value)
                if name == "max_subroutines" and isinstance(read, str):
                    raise ValueError("max_subroutines: write None for any number")
                if name == "thresholds" and isinstance(value, str) and value != PAPER_THRESHOLDS:
                    raise ValueError("thresholds: write numbers, as in (0.1, 0.3), or 'paper'")
        if model is not None and learning_rate != SQRT:
            raise ValueError("learning_rate: it is that of the default model; set that of yours")
        _check(strategy, distance, history, scale)
        self._path = self._start()

    @property
    def _multiclass(self) -> bool:
        return self.model is None or bool(self.model._multiclass)

    def learn_one(self, x: dict[Any, Any], y: Any) -> None:
        self._path.learn_one(x, y)

    def predict_one(self, x: dict[Any, Any], **_kwargs: Any) -> Any:
        return self._path.predict_one(x)

    def predict_proba_one(self, x: dict[Any, Any], **_kwargs: Any) -> dict[Any, float]:
        """Returns the strategy's probabilities; if it has none, 1 for the class it predicts.

        `ftl` and `ewa` weigh the models' probabilities. `predict_one` weighs their votes, as the
        paper does: under `ewa` the two may differ.
        """
        return self._path.predict_proba_one(x)

    def learn_many(self, X: IntoDataFrame, y: IntoSeries) -> None:  # noqa: N803
        """Learns the rows of a pandas or Polars frame one after the other, as `learn_one` does.

        A null is a missing feature.
        """
        labels = dataframe.into_series(y).to_list()
        for x, label in zip(_rows(dataframe.into_frame(X)), labels, strict=True):
            self._path.learn_one(x, label)

    def predict_many(self, X: IntoDataFrame) -> IntoSeries:  # noqa: N803
        """Returns `predict_one` of each row of a frame, as a series of the same library."""
        frame = dataframe.into_frame(X)
        said = [self._path.predict_one(x) for x in _rows(frame)]
        return dataframe.to_native_series(said, name=None, like=frame)

    def predict_proba_many(self, X: IntoDataFrame) -> IntoDataFrame:  # noqa: N803
        """Returns `predict_proba_one` of each row, as a frame of the same library.

        The columns are the classes, in Polars as strings.
        """
        frame = dataframe.into_frame(X)
        said = [self._path.predict_proba_one(x) for x in _rows(frame)]
        columns = {label: [p[label] for p in said] for label in self._path.classes}
        return dataframe.to_native_frame(columns, like=frame)

    @property
    def n_subroutines(self) -> list[int]:
        """The number of copies of each member, in the order of the grid."""
        return self._path.n_subroutines

    @property
    def births(self) -> list[list[int]]:
        """The steps, counted from 0, at which the copies of each member were made."""
        return self._path.births

    @property
    def active(self) -> list[int]:
        """The number, from 1, of the copy of each member that predicts the open step.

        The next unused number means that a new copy of the closest one will be made.
        """
        return self._path.active

    @property
    def weights(self) -> list[float]:
        """The strategy's weights over the members for the open step; empty if it has none."""
        return self._path.weights

    @classmethod
    def _unit_test_params(cls) -> Any:
        yield {}
        yield {
            "distance": "features",
            "every": 3,
            "strategy": "ewa",
            "thresholds": (0.2, 0.5),
            "max_subroutines": 8,
        }
        yield {"strategy": "ftl", "history": 1, "thresholds": "paper", "scale": "none"}

    def _start(self) -> GeneralPath | CompiledPath:
        if self.model is None and self.strategy in COMPILED:
            return CompiledPath(self._settings())
        return GeneralPath(self._settings(), self.model, compiled=True)

    def _settings(self) -> PathSettings:
        distance = DISTANCES[self.distance]
        suits: dict[str, Any] = {"history": distance.history, "thresholds": distance.thresholds}
        if self.distance == "labels" and self.every == 1:
            suits = ONE_ROW
        history = suits["history"] if self.history is None else self.history
        histories = [history] if isinstance(history, int | str) else list(history)
        thresholds: Any = self.thresholds or suits["thresholds"]
        if thresholds == PAPER_THRESHOLDS:
            thresholds = distance.thresholds
        return PathSettings(
            grid(histories, thresholds),
            self.distance,
            self.strategy,
            self.every,
            self.eps_power,
            self.max_subroutines,
            self.empty_class,
            self.scale == "running",
            self.learning_rate,
        )


def _rows(frame: Any) -> Iterator[dict[Any, Any]]:
    """The rows of a frame of any kind, as River has them, without what is null."""
    for row in frame.iter_rows(named=True):
        yield {name: value for name, value in row.items() if value is not None}


def _check(strategy: str, distance: str, history: Any, scale: str) -> None:
    """Refuse a strategy that cannot be used here, and histories that the distance cannot take."""
    check_strategy(strategy)
    if scale not in _SCALES:
        raise ValueError(f"the scale '{scale}' is unknown; one of: {', '.join(_SCALES)}")
    several = not isinstance(history, int | str | None)
    if several and not DISTANCES[distance].takes_several_histories:
        raise ValueError(f"the distance '{distance}' takes one history")
