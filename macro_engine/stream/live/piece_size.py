"""The number of bytes to read at once for a wanted number of rows."""

from __future__ import annotations

from macro_engine.stream.formats.text_file import PIECE

_FIRST_BYTES = 40.0  # of a row, before any was seen
_LEAST = 256


class PieceSize:
    """Learns from pieces how long rows are."""

    def __init__(self) -> None:
        self.bytes_a_row = _FIRST_BYTES

    def of(self, rows: int | None) -> int:
        """Bytes for about so many rows; None for as many as are read well at once."""
        if rows is None:
            return PIECE
        return int(min(max(rows * self.bytes_a_row, _LEAST), PIECE))

    def took(self, size: int, rows: int) -> None:
        """Take note that so many bytes were so many rows."""
        # a piece without a whole row is too short: half a row must not be read in crumbs
        self.bytes_a_row = size / rows if rows else max(2 * self.bytes_a_row, float(size))
