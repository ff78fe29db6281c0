"""How far two boxes or stretches overlap: intersection over union."""
