"""Convert the tables of an evidence store to records."""
