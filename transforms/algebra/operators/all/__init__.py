"""All conditions are true; a list of conditions means the same."""
