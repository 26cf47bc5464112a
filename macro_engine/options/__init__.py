"""What a user may set, where each value came from, and presets."""
