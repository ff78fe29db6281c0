"""Enumeration: the question is asked once for each element."""
