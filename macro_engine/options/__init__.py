"""The options of a run, the origin of each value, and presets."""
