"""Label files opened a second time."""
