"""The run file: its tables, the encoding of columns, and checks for damage."""
