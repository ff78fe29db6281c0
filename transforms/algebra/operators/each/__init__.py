"""Every element in turn: the question is filled in once for each."""
