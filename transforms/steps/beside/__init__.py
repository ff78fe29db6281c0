"""Files that a user adds to a dataset (anomalies, action clips), and the evidence in them."""
