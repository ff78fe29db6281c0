"""The element with the greatest value, if all other values are certainly smaller."""
