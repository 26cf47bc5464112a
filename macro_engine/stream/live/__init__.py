"""Streams that grow while they are read."""
