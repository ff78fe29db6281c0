"""The distance of two things in the picture, in parts of its width and height."""
