"""The past of a run, in bounded memory."""
