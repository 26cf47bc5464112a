"""Errors of every predictor, the origin of the lead, and its confidence."""
