"""Asking: from programs and facts to items, for all fillings of a template at once."""
