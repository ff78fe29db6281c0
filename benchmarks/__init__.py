"""Measure the speed of surgqa, compared with scripts that a user would write by hand."""
