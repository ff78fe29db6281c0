"""EndoVis-17-VQLA: what robotic instruments do and where, in 97 stills of 2017."""
