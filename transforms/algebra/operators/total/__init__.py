"""The total time during which any matching fact holds: the length of their union."""
