"""Basic types and functions that every other package uses."""
