"""Predictions, line by line, for other programs."""
