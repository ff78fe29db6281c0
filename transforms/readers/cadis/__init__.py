"""CaDIS: one of 36 classes for every pixel of 4,670 frames of cataract surgery."""
