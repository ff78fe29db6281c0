"""Conditions, and statements chosen by a condition."""
