"""How long such facts hold in all: the length of their union."""
