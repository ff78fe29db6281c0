"""Right parts with wrong ones: options of two parts each."""
