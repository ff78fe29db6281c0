"""Label files of CholecT50 (15 numbers an instance) and CholecT45 (columns of 0 and 1)."""
