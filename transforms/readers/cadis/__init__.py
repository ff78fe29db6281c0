"""CaDIS: every pixel of 4,670 frames of cataract surgery in one of 36 classes."""
