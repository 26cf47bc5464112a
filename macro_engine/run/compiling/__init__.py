"""Kernels that are compiled beside a run."""
