"""The stretch of a grid that holds another stretch or an instant."""
