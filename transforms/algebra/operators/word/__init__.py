"""The word of a scale for a value."""
