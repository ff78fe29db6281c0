"""How it runs in parallel: the Beam side, one composite per stage of the diagram."""
