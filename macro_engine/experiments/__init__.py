"""The paper's experiments: cells of a table as tasks, on one machine or on many."""
