"""How a threshold is written."""


def threshold_text(value: float) -> str:
    """A threshold in at most five characters.

    >>> [threshold_text(value) for value in (0.1, 0.125, 0.0125, 17.0, 2.5e-7, float("inf"))]
    ['0.10', '0.125', '0.013', '17', '2e-07', 'inf']
    """
    text = f"{value:.2f}" if 0 < value < 1 and round(value, 2) == value else f"{value:g}"
    if len(text) > 5 and 0.001 <= value < 1:
        text = f"{value:.3f}"
    return text if len(text) <= 5 else f"{value:.0e}"
