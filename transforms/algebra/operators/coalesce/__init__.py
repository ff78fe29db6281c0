"""The first value that is not none."""
