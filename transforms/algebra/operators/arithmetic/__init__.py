"""The sum, difference or quotient of two values."""
