"""The element with the greatest value; it must certainly be ahead of all others."""
