"""The comparison of two values by one of `= != < <= > >= in`."""
