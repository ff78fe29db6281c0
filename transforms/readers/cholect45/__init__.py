"""CholecT45: instrument-verb-target triplets of 45 cholecystectomies, as text files."""
