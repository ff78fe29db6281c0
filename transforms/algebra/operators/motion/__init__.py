"""The motion of a track: path length, speeds and number of samples."""
