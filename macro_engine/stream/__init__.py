"""Streams: which column is what, how rows are read, encoded and grouped into steps."""
