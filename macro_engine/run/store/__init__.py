"""The run file: its tables, how columns become blobs, and how damage is found."""
