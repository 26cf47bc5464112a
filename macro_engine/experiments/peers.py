"""Adaptive classifiers of River, for comparison."""

from __future__ import annotations

from time import process_time
from typing import Any

from macro_engine.experiments.measured_run import measured, opened_for
from macro_engine.stream.table import Rejections
from macro_engine.work.tasks import Task, work

# River's names, and how each is built
PEERS = {
    "HoeffdingAdaptiveTreeClassifier": "river:tree.HoeffdingAdaptiveTreeClassifier(seed=1)",
    "LeveragingBaggingClassifier": (
        "river:ensemble.LeveragingBaggingClassifier("
        "model=tree.HoeffdingTreeClassifier(), n_models=10, seed=1)"
    ),
    "ARFClassifier": "river:forest.ARFClassifier(n_models=10, seed=1)",
}


@work
def run_peer(task: Task) -> dict[str, Any]:
    """One of them over a recording: it predicts a step and then learns its rows."""
    options = {
        "subroutine": PEERS[task.settings["peer"]],
        "thresholds": "inf",
        "strategies": "ftl",
    }
    return measured(opened_for(task.data, "paper-labels", options))


@work
def time_river(task: Task) -> dict[str, Any]:
    """CPU seconds that River's LogisticRegression alone takes to predict and learn every row."""
    from macro_engine.subroutines.logistic import logistic_regression

    opened = opened_for(task.data, "paper-labels", {})
    rows: list[dict[str, float]] = []
    labels: list[bool] = []
    for block in opened.reader(Rejections()).blocks():
        rows += [{name: v for name, v in row.items() if v} for row in block.rows.dicts]
        labels += block.rows.labels.astype(bool).tolist()
    model = logistic_regression()
    predict, learn = model.predict_one, model.learn_one
    began = process_time()
    for x, y in zip(rows, labels, strict=True):
        predict(x)  # type: ignore[arg-type]
        learn(x, y)
    return {"cpu": process_time() - began, "rows": len(rows)}
