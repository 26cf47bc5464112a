"""The rate of a counter over the last seconds."""

from time import monotonic

_SECONDS = 2.0  # over which it is measured


class Rate:
    """Counts a second over the last seconds."""

    def __init__(self, count: int = 0) -> None:
        self.marks = [(monotonic(), count)]

    def of(self, count: int) -> float:
        """The rate, given what has been counted until now."""
        now, marks = monotonic(), self.marks
        if now - marks[-1][0] >= _SECONDS / 10:
            marks.append((now, count))
        while len(marks) > 2 and now - marks[1][0] >= _SECONDS:
            marks.pop(0)
        since, before = marks[0]
        return (count - before) / (now - since) if now > since else 0.0
