"""Engines that can run the graph: Beam runners with suitable options."""
