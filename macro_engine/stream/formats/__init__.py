"""Files that hold recordings."""
