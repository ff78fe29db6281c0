"""Observe videos in parallel: plan, run frame and sound models, segment, assemble, record."""
