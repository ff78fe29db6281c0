"""The element with the greatest value, certainly ahead of all others."""
