"""A stretch cut into equal parts."""
