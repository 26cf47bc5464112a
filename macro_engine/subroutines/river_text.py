"""Parses the text of a River model: `river:linear_model.LogisticRegression(l2=0.1)`.

The text is parsed with `ast` and built from literals and River's own classes. It is never
evaluated, so text from a file can do no more than build a River model.
"""

from __future__ import annotations

import ast
import importlib
import inspect
from copy import deepcopy
from typing import Any

from macro_engine.core.did_you_mean import did_you_mean
from macro_engine.core.errors import UsageError
from macro_engine.core.escape import visible
from macro_engine.subroutines.base import Create, Subroutine
from macro_engine.subroutines.river_model import RiverModel

_LONGEST_TEXT = 2000
_EXAMPLE = "river:linear_model.LogisticRegression(l2=0.1)"


def river_factory(text: str, seed: int | None) -> Create:
    """How to start a subroutine around the River classifier that the text describes."""
    from river import base

    model = build(text, seed)
    if not isinstance(model, base.Classifier):
        raise UsageError(f"river:{visible(text)} is not a classifier; MACRO predicts classes")

    def create(classes: tuple[str, ...]) -> Subroutine:
        return RiverModel.over(deepcopy(checked_for(model, classes, f"river:{text}")), classes)

    return create


def checked_for(model: Any, classes: tuple[str, ...], name: str) -> Any:
    """The model, unless it is binary only and there are more than two classes."""
    if len(classes) > 2 and not getattr(model, "_multiclass", True):
        raise UsageError(
            f"{visible(name)} supports two classes and the stream has {len(classes)}; "
            "wrap it, as in river:multiclass.OneVsRestClassifier(linear_model.Perceptron())"
        )
    return model


def build(text: str, seed: int | None = None) -> Any:
    """The River object that the text describes.

    >>> build("linear_model.LogisticRegression(optimizer=optim.SGD(.05), l2=.1)").l2
    0.1
    """
    if len(text) > _LONGEST_TEXT:
        raise _unreadable(text, f"it is longer than {_LONGEST_TEXT} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable(text, "it does not parse") from None
    if not isinstance(tree, ast.Call):
        tree = ast.Call(func=tree, args=[], keywords=[])
    try:
        return _value(tree, text, seed)
    except RecursionError:
        raise _unreadable(text, "it is nested too deeply") from None


def _value(node: ast.expr, text: str, seed: int | None) -> Any:
    if isinstance(node, ast.Call):
        cls = _river_class(node.func, text)
        if any(isinstance(a, ast.Starred) for a in node.args) or any(
            k.arg is None for k in node.keywords
        ):
            raise _unreadable(text, "stars are not allowed")
        args = [_value(a, text, seed) for a in node.args]
        kwargs = {k.arg: _value(k.value, text, seed) for k in node.keywords if k.arg}
        try:
            signature = inspect.signature(cls)
            named = signature.bind(*args, **kwargs).arguments
            if seed is not None and "seed" in signature.parameters and "seed" not in named:
                kwargs["seed"] = seed
            return cls(*args, **kwargs)
        except Exception as error:  # whatever River's constructor objects to
            raise _unreadable(text, f"{cls.__name__}: {error}") from None
    if isinstance(node, ast.List | ast.Tuple):
        items = [_value(item, text, seed) for item in node.elts]
        return items if isinstance(node, ast.List) else tuple(items)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        what = ast.unparse(node)
        raise _unreadable(text, f"'{what}' is neither a literal nor a River class") from None


def _river_class(node: ast.expr, text: str) -> type[Any]:
    from river import base, datasets

    path = ast.unparse(node).split(".")
    if len(path) < 2 or not all(p.isidentifier() and not p.startswith("_") for p in path):
        raise _unreadable(text, f"'{ast.unparse(node)}' is not MODULE.CLASS")
    *modules, name = path
    try:
        module = importlib.import_module(".".join(["river", *modules]))
    except ImportError:
        raise _unreadable(text, f"River has no module '{'.'.join(modules)}'") from None
    cls = getattr(module, name, None)
    if not (
        isinstance(cls, type)
        and issubclass(cls, base.Base)
        and not issubclass(cls, datasets.base.Dataset)
        and cls.__module__.startswith("river.")
    ):
        hint = did_you_mean(name, getattr(module, "__all__", []))
        raise _unreadable(text, f"river.{'.'.join(modules)} has no model '{name}'{hint}")
    return cls


def _unreadable(text: str, why: str) -> UsageError:
    return UsageError(
        f"cannot use the subroutine 'river:{visible(text)}': {visible(why, 200)} "
        f"(an example: {_EXAMPLE})"
    )
