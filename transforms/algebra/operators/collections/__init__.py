"""Sets and sequences of labels, facts or times."""
