"""The statement whose condition is true; the others are the wrong ones."""
