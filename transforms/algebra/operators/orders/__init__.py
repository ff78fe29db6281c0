"""Other orders of a sequence."""
