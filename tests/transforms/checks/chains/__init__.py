"""Chains of questions: right ones by hand, and what is wrong with changed ones."""
