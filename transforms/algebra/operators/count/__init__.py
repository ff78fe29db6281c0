"""The number of matching facts, or of different values of a field."""
