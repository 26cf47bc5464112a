"""MACRO as a River classifier."""

from macro_engine.estimator.classifier import MacroClassifier

__all__ = ["MacroClassifier"]
