"""True if at least one of the conditions holds."""
