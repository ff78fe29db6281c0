"""How many facts, or how many different values of a field, there are."""
