"""MACRO, a meta-algorithm for conditional risk minimization, over live and recorded streams."""

__version__ = "0.1.0"
