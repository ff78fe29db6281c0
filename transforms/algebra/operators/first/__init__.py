"""The fact that starts first."""
