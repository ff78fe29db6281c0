"""CholecT50: instrument-verb-target triplets and phases of 50 cholecystectomies."""
