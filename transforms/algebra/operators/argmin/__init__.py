"""The element with the least value, certainly below all others."""
