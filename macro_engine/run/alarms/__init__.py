"""Rules that call the operator, and whom they tell."""
