"""A hospital's own labels: one CSV file a video."""
