"""Numbers and durations of matching facts, and whether there are any."""
