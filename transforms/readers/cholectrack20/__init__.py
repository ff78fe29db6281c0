"""CholecTrack20: boxes, tracks and operators of the instruments of 20 cholecystectomies."""
