"""Options of two parts each: correct parts combined with wrong ones."""
