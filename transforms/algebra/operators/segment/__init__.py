"""The grid-aligned stretch that contains another stretch or an instant."""
