"""The overlap of two boxes or stretches: intersection over union."""
