"""EndoVis-18-VQLA: what each robotic instrument does and where it is, as text files."""
