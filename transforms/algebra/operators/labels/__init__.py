"""All labels that a kind, a domain or a scale can have in this video."""
