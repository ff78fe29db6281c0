"""The demonstration: a rendered scene with exact labels, and pictures of questions."""
