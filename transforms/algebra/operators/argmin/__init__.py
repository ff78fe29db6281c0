"""The element with the least value; it must certainly be below all others."""
