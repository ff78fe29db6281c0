"""The answer of the same program with one name filled anew."""
