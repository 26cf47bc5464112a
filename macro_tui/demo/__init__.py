"""What `macro-tui demo` plays: real feeds in the background, made from shipped recordings."""
