"""The recorded past of a run, in bounded memory."""
