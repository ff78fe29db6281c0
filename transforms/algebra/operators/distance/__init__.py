"""The distance between two things in the frame, in fractions of its width and height."""
