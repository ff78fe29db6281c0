"""The fact that ends last."""
