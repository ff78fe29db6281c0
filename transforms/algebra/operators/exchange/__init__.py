"""What is right of other questions about the recording."""
