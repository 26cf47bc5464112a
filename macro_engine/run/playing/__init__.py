"""The speed and the target of playing a recording."""
