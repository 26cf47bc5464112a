"""Runs the algorithm over a stream, keeps score and records the results."""
