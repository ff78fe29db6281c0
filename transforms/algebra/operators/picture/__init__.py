"""Boxes in the frame and their motion."""
