"""Tables of one's own data, and the mapping file that says what their columns mean."""
