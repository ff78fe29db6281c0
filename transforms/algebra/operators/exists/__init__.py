"""True if at least one fact matches."""
