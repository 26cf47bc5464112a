"""Alarm rules, and the operator's notification."""
