"""True if the condition is false."""
