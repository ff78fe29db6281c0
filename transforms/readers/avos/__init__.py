"""AVOS: what hands and instruments do in videos of open surgery."""
