"""The demonstration: a rendered scene with true labels, and pictures of questions."""
