"""Own recordings: the evidence store that observing them made."""
