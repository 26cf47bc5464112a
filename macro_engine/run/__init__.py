"""Running the algorithm over a stream, keeping score, and writing results down."""
