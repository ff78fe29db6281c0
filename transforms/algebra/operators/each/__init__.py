"""Every element in turn: one filling of the question for each."""
