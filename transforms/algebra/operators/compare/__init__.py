"""Two values compared: `= != < <= > >= in`."""
