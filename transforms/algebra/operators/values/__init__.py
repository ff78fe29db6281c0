"""Values computed from other values."""
