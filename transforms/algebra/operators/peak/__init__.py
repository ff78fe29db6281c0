"""The largest number of matching facts at the same time."""
