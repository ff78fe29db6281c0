"""The one place that opens pictures: a frame at a time, and what a file says of itself."""
