"""The one fact that fits; there is certainly no other."""
