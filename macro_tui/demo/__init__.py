"""The feeds of `macro-tui demo`: made in the background from shipped recordings."""
