"""Compiled loops over one row or one step of the estimator."""
