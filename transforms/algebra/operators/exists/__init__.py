"""Whether there is such a fact."""
