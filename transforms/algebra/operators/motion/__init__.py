"""How a track moves: path, speeds and number of samples."""
