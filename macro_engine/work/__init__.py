"""Pieces of work: done here, by processes of this machine or by a Dask cluster."""
