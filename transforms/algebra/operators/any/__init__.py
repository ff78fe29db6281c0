"""At least one of the conditions is true."""
