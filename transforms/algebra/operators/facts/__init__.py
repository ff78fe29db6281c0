"""All facts that fit."""
