"""Public data sets, and a player that feeds recordings."""
