"""The form of an answer that raises an alert."""

ALERT = "alert: "
"""Prefix of an answer that raises an alert; the reason follows."""
