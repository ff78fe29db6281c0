"""All labels that a kind, a field or a scale can have here."""
