"""Who got how much wrong, where the lead comes from, and whether it is more than luck."""
