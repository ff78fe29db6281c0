"""The different values of a field, or the facts with some of their fields."""
