"""The only fact that matches; there is certainly no other."""
