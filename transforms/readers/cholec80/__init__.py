"""Cholec80: phases of every frame and instruments of every second, 80 cholecystectomies."""
