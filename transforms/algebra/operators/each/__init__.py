"""Every element in turn: each gives one filling of the question."""
