"""How fast surgqa is, measured against what a user would write by hand."""
