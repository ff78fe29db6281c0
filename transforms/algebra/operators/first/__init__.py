"""The fact that begins first."""
