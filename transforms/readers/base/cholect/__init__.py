"""Label files of CholecT50 (15 numbers per instance) and CholecT45 (columns of 0 and 1)."""
