"""Tables of an evidence store, as records."""
