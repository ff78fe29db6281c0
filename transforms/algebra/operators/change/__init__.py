"""The answer with something changed: a set, a sequence or an act."""
