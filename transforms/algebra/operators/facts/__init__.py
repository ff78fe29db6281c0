"""All facts that match."""
