"""The pictures of the monitor: a frozen view goes in, rows of coloured text come out."""
