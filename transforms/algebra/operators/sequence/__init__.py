"""Elements in order of time."""
