"""Streams: the roles of columns, and how rows are read, encoded and grouped into steps."""
