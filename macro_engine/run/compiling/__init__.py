"""Compiles kernels in the background of a run."""
