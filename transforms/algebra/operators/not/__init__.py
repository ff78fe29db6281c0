"""The condition is false."""
