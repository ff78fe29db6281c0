"""True if all conditions hold; a plain list of conditions means the same."""
