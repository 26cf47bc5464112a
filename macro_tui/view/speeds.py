"""The speeds that the keys `[` and `]` select."""

from __future__ import annotations

from macro_engine.run.view import Speed

MULTIPLES = (1, 60, 600, 6_000, 60_000, 600_000, 6_000_000)
RATES = (1, 10, 100, 1_000, 10_000, 100_000)


def changed(speed: Speed, by: int, has_times: bool) -> Speed:
    """The next speed up or down; above the fastest comes `max`.

    >>> str(changed(Speed(multiple=86_000), 1, has_times=True))
    '600,000x'
    >>> str(changed(Speed(multiple=86_000), -1, has_times=True))
    '60,000x'
    """
    by_rate = speed.rate is not None or (speed.multiple is None and not has_times)
    ladder = RATES if by_rate else MULTIPLES
    now = speed.rate or speed.multiple or float("inf")
    if by > 0:
        chosen = next((s for s in ladder if s > now), None)
    else:
        chosen = next((s for s in reversed(ladder) if s < now), ladder[0])
    if chosen is None:
        return Speed()
    return Speed(rate=chosen) if by_rate else Speed(multiple=chosen)
