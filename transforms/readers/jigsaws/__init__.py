"""JIGSAWS: gestures, skill ratings and experience in 103 trials of three bench exercises."""
