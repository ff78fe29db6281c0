"""Other orders of a sequence of at most five elements, each equally likely."""
