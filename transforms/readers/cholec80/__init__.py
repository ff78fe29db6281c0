"""Cholec80: the phase of every frame and the tools of every second, 80 cholecystectomies."""
