"""Many streams at once, each a run of its own with its run file."""
