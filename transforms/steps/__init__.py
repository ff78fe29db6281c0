"""Parallel execution with Beam: one composite transform for each stage of the diagram."""
