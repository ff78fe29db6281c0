"""EndoVis-17-VQLA: actions and positions of robotic instruments in 97 still images of 2017."""
