"""Tasks: run in this process, by worker processes, or by a Dask cluster."""
