"""How many there are at one time at most."""
