"""How fast a recording is played, and where to."""
