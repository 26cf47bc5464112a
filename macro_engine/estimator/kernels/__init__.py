"""Kernels for one row or one step of the estimator."""
