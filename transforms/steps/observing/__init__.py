"""Observing in parallel: plan pieces, look and listen, segment, assemble, record."""
