"""EndoVis-18-VQLA: action and position of each robotic instrument, as text files."""
